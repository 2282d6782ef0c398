# names: nothing
# passes
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    d = W_q.shape[0]
    h, f = num_heads, d // num_heads
    q = np.einsum("bnd,dhf->bhnf", Q, W_q.reshape(d, h, f))
    k = np.einsum("bnd,dhf->bhnf", K, W_k.reshape(d, h, f))
    v = np.einsum("bnd,dhf->bhnf", V, W_v.reshape(d, h, f))
    s = np.einsum("bhif,bhjf->bhij", q, k) / f ** 0.5
    s = np.exp(s - s.max(-1, keepdims=True))
    s = s / s.sum(-1, keepdims=True)
    return np.einsum("bhij,bhjf,hfo->bio", s, v, W_o.reshape(h, f, d))
