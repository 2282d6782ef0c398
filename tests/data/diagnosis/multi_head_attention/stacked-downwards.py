# names: heads-under-one-another
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    outs, ws = [], []
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        s = (X @ W_q[:, c]) @ (X @ W_k[:, c]).T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(1, keepdims=True))
        ws.append(e / e.sum(1, keepdims=True))
        outs.append(ws[-1] @ (X @ W_v[:, c]))
    return np.concatenate(outs) @ W_o, np.array(ws)
