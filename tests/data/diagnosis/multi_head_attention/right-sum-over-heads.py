# names: nothing
# passes
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    out = np.zeros((n, d))
    ws = np.zeros((num_heads, n, n))
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        s = X @ (W_q[:, c] @ W_k[:, c].T) @ X.T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -1e9)
        s = np.exp(s - s.max(1, keepdims=True))
        ws[h] = s / s.sum(1, keepdims=True)
        out += ws[h] @ X @ (W_v[:, c] @ W_o[c])
    return out, ws
