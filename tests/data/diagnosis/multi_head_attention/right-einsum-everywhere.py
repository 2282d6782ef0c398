# names: nothing
# passes
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    h = num_heads
    f = d // h
    q = np.einsum("nd,dhf->hnf", X, W_q.reshape(d, h, f))
    k = np.einsum("nd,dhf->hnf", X, W_k.reshape(d, h, f))
    v = np.einsum("nd,dhf->hnf", X, W_v.reshape(d, h, f))
    s = np.einsum("hif,hjf->hij", q, k) / np.sqrt(f)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(2, keepdims=True))
    a = e / e.sum(2, keepdims=True)
    return np.einsum("hij,hjf,hfo->io", a, v, W_o.reshape(h, f, d)), a
