# names: split-and-merge-without-transpose
import numpy as np

def heads_of(M, W, h):
    P = np.matmul(M, W)
    return P.reshape((h, M.shape[0], -1))

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    q, k, v = (heads_of(X, W, num_heads) for W in (W_q, W_k, W_v))
    n = X.shape[0]
    weights = np.empty((num_heads, n, n))
    context = np.empty((num_heads, n, q.shape[-1]))
    blocked = None if mask is None else ~np.broadcast_to(mask, (n, n))
    for i in range(num_heads):
        s = q[i].dot(k[i].T) / np.sqrt(q.shape[-1])
        if blocked is not None:
            s[blocked] = -np.inf
        top = s.max(axis=1).reshape(n, 1)
        e = np.exp(s - top)
        weights[i] = e / e.sum(axis=1).reshape(n, 1)
        context[i] = weights[i].dot(v[i])
    return context.reshape(n, -1).dot(W_o), weights
