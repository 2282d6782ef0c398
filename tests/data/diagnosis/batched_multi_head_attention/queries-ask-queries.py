# names: scores-q-q
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    q, k, v = ((x @ w).reshape(B, -1, num_heads, d // num_heads).swapaxes(1, 2) for x, w in ((Q, W_q), (K, W_k), (V, W_v)))
    s = q @ q.swapaxes(-1, -2) / np.sqrt(d // num_heads)
    s = np.exp(s - s.max(-1, keepdims=True))
    o = s / s.sum(-1, keepdims=True) @ v
    return o.swapaxes(1, 2).reshape(B, n, d) @ W_o
