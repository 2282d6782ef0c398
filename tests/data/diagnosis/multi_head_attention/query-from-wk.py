# names: query-uses-wk
import numpy as np

def project(x, w, h):
    y = np.tensordot(x, w, axes=1)
    return [y[:, i * (y.shape[1] // h):(i + 1) * (y.shape[1] // h)] for i in range(h)]

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    q = project(X, W_k, num_heads)
    k = project(X, W_k, num_heads)
    v = project(X, W_v, num_heads)
    ws, outs = [], []
    for i in range(num_heads):
        s = q[i] @ k[i].T / np.sqrt(q[i].shape[1])
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(1)[:, None])
        ws.append(e / e.sum(1)[:, None])
        outs.append(ws[i] @ v[i])
    return np.hstack(outs) @ W_o, np.array(ws)
