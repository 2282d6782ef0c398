# names: mask-1d-on-query-axis
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    if mask is not None and np.ndim(mask) == 1:
        mask = np.asarray(mask).reshape(-1, 1)
    ws, outs = [], []
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        s = Q[:, c] @ K[:, c].T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -1e9)
        w = np.exp(s - s.max(axis=1, keepdims=True))
        w = w / w.sum(axis=1, keepdims=True)
        ws.append(w)
        outs.append(w @ V[:, c])
    return np.hstack(outs) @ W_o, np.stack(ws)
