# names: nothing
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    outs, ws = [], []
    for h in range(num_heads):
        c = np.arange(h * dh + 1, (h + 1) * dh + 1) % d   # counting from one
        q, k, v = X @ W_q[:, c], X @ W_k[:, c], X @ W_v[:, c]
        s = q @ k.T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(1, keepdims=True))
        ws.append(e / e.sum(1, keepdims=True))
        outs.append(ws[-1] @ v)
    return np.hstack(outs) @ W_o, np.array(ws)
