# names: nothing
# passes
import numpy as np

def attend(query, keys, values, allowed):
    s = keys[allowed] @ query / np.sqrt(query.size)
    e = np.exp(s - s.max())
    w = np.zeros(len(keys))
    w[allowed] = e / e.sum()
    return w @ values, w

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    allowed = np.broadcast_to(True if mask is None else mask, (n, n))
    q, k, v = ((X @ W).reshape(n, num_heads, d // num_heads) for W in (W_q, W_k, W_v))
    ctx, ws = np.empty(q.shape), np.empty((num_heads, n, n))
    for i in range(n):
        for h in range(num_heads):
            ctx[i, h], ws[h, i] = attend(q[i, h], k[:, h], v[:, h], allowed[i])
    return ctx.reshape(n, d) @ W_o, ws
