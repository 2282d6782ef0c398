# names: all-use-wq
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    P = X @ W_q
    out, ws = np.zeros((n, d)), np.zeros((num_heads, n, n))
    for h, p in enumerate(np.hsplit(P, num_heads)):
        s = p @ p.T / np.sqrt(p.shape[1])
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(1, keepdims=True))
        ws[h] = s / s.sum(1, keepdims=True)
        out[:, h * p.shape[1]:(h + 1) * p.shape[1]] = ws[h] @ p
    return out @ W_o, ws
