# names: scale-multiplied-not-divided
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    dk = d // num_heads
    def project(x, w):
        return np.tensordot(x, w.reshape(d, num_heads, dk), axes=(2, 0))   # b n h k
    q = project(Q, W_q) * np.sqrt(dk)
    k = project(K, W_k)
    v = project(V, W_v)
    s = np.einsum("bihd,bjhd->bhij", q, k)
    s = np.exp(s - s.max(-1, keepdims=True))
    s /= s.sum(-1, keepdims=True)
    return np.einsum("bhij,bjhd->bihd", s, v).reshape(B, n, d) @ W_o
