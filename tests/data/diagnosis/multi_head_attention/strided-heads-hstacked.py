# names: heads-interleaved-merged-contiguous
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    # (n, dh, h): last axis = head
    q = (X @ W_q).reshape(n, dh, num_heads)
    k = (X @ W_k).reshape(n, dh, num_heads)
    v = (X @ W_v).reshape(n, dh, num_heads)
    outs, ws = [], []
    for h in range(num_heads):
        s = q[..., h] @ k[..., h].T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(axis=1, keepdims=True))
        ws.append(s / s.sum(axis=1, keepdims=True))
        outs.append(ws[-1] @ v[..., h])
    return np.hstack(outs) @ W_o, np.stack(ws)
