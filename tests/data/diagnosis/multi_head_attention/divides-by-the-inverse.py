# names: scale-multiplied-not-divided
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d = X.shape[1] // num_heads
    scale = d ** -0.5
    heads = [np.einsum("nd,dk->nk", X, W) for W in (W_q, W_k, W_v)]
    w = np.empty((num_heads, X.shape[0], X.shape[0]))
    y = np.zeros((X.shape[0], W_o.shape[1]))
    for h in range(num_heads):
        q, k, v = (m[:, d * h: d * h + d] for m in heads)
        s = np.inner(q, k) / scale
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(axis=1, keepdims=True))
        w[h] = e / e.sum(axis=1, keepdims=True)
        y += w[h] @ v @ W_o[d * h: d * h + d]
    return y, w
