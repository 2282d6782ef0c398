# names: returns-weights-transposed
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    outs, ws = [], []
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        # scores laid out as (key, query)
        s = (X @ W_k[:, c]) @ (X @ W_q[:, c]).T / np.sqrt(dh)
        if mask is not None:
            s = np.where(np.broadcast_to(mask, (n, n)).T, s, -np.inf)
        e = np.exp(s - s.max(axis=0))
        w = e / e.sum(axis=0)
        ws.append(w)
        outs.append(w.T @ (X @ W_v[:, c]))
    return np.hstack(outs) @ W_o, np.array(ws)
