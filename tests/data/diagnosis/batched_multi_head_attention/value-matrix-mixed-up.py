# names: value-uses-wk
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    parts = {}
    for name, x, w in (("q", Q, W_q), ("k", K, W_k), ("v", V, W_k)):
        parts[name] = np.moveaxis((x @ w).reshape(B, -1, num_heads, d // num_heads), 2, 0)
    s = parts["q"] @ np.swapaxes(parts["k"], 2, 3) / np.sqrt(d // num_heads)
    s = np.exp(s - s.max(3, keepdims=True))
    o = s / s.sum(3, keepdims=True) @ parts["v"]
    return np.moveaxis(o, 0, 2).reshape(B, n, d) @ W_o
