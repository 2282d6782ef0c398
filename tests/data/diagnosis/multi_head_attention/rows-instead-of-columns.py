# names: head-takes-rows-of-w
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    outs, ws = [], []
    for h in range(num_heads):
        r = slice(h * dh, (h + 1) * dh)
        q, k, v = X @ W_q[r].T, X @ W_k[r].T, X @ W_v[r].T
        s = q @ k.T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(axis=1, keepdims=True))
        ws.append(s / s.sum(axis=1, keepdims=True))
        outs.append(ws[-1] @ v)
    return np.hstack(outs) @ W_o, np.array(ws)
