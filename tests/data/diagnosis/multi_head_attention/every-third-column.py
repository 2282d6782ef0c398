# names: heads-interleaved-merged-interleaved
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    out = np.empty((n, d))
    ws = []
    for h in range(num_heads):
        q, k, v = Q[:, h::num_heads], K[:, h::num_heads], V[:, h::num_heads]
        s = q @ k.T / np.sqrt(d // num_heads)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(axis=1, keepdims=True))
        w = s / s.sum(axis=1, keepdims=True)
        ws.append(w)
        out[:, h::num_heads] = w @ v
    return out @ W_o, np.array(ws)
