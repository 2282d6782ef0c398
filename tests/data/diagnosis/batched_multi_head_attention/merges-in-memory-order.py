# names: merge-reshape-without-transpose
import numpy as np

def softmax(x):
    m = np.max(x, axis=-1, keepdims=True)
    lse = m + np.log(np.sum(np.exp(x - m), axis=-1, keepdims=True))
    return np.exp(x - lse)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    def split(t):
        return np.stack(np.split(t, num_heads, axis=-1), axis=1)
    q, k, v = split(Q @ W_q), split(K @ W_k), split(V @ W_v)
    a = softmax(np.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5)
    context = np.einsum("bhij,bhjd->bhid", a, v)
    return context.reshape(Q.shape) @ W_o
