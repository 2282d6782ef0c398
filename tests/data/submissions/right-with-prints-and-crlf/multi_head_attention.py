import numpy as np

print("Hello from my solution!")


def multi_head_attention(x, wq, wk, wv, wo, heads, m=None):
    n, d = x.shape
    dh = d // heads
    q, k, v = x @ wq, x @ wk, x @ wv
    out = np.zeros((n, d))
    ws = []
    for h in range(heads):
        s = slice(h * dh, h * dh + dh)
        z = q[:, s] @ k[:, s].T / np.sqrt(dh)
        print("head", h, "scores", z)
        if m is not None:
            z = np.where(m, z, -np.inf)
        z = np.exp(z - z.max(axis=1, keepdims=True))
        w = z / z.sum(axis=1, keepdims=True)
        ws.append(w)
        out[:, s] = w @ v[:, s]
    return out @ wo, np.array(ws)
