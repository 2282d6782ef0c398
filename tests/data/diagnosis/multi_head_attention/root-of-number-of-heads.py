# names: scale-by-sqrt-heads
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    ws, out = [], np.zeros((n, W_o.shape[1]))
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        q = X @ W_q[:, c] / np.sqrt(num_heads)
        s = q @ (X @ W_k[:, c]).T
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(1, keepdims=True))
        ws.append(e / e.sum(1, keepdims=True))
        out += ws[-1] @ (X @ W_v[:, c]) @ W_o[c]
    return out, np.array(ws)
