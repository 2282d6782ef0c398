# names: v-not-projected
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    outs, ws = [], []
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        q, k, v = X @ W_q[:, c], X @ W_k[:, c], X[:, c]
        s = q @ k.T / dh ** .5
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        w = e / e.sum(axis=-1, keepdims=True)
        outs += [w @ v]
        ws += [w]
    return np.concatenate(outs, -1) @ W_o, np.stack(ws)
