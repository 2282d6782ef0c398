# names: mask-fill-too-small-minus-10
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    outs, ws = [], []
    allowed = np.ones((n, n), bool) if mask is None else np.broadcast_to(mask, (n, n))
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        s = (X @ W_q[:, c]) @ (X @ W_k[:, c]).T
        s = s / np.sqrt(dh)
        s[~allowed] = -10    # small enough
        e = np.exp(s - s.max(axis=1, keepdims=True))
        w = e / e.sum(axis=1, keepdims=True)
        ws.append(w)
        outs.append(w @ (X @ W_v[:, c]))
    return np.concatenate(outs, 1) @ W_o, np.stack(ws)
