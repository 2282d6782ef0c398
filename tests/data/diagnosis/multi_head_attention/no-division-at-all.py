# names: scale-missing
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    dh = X.shape[1] // num_heads
    out = 0
    ws = []
    for h in range(num_heads):
        c = np.arange(h * dh, (h + 1) * dh)
        s = (X @ W_q[:, c]) @ (X @ W_k[:, c]).T
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(1)[:, None])
        w = s / s.sum(1)[:, None]
        ws.append(w)
        # concat @ W_o is the same as summing head @ rows of W_o
        out = out + w @ (X @ W_v[:, c]) @ W_o[c, :]
    return out, np.stack(ws)
