# names: softmax-no-max-shift
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = ((x @ w).reshape(*x.shape[:2], num_heads, -1) for x, w in ((Q, W_q), (K, W_k), (V, W_v)))
    e = np.exp(np.einsum("bihd,bjhd->bhij", q, k) / np.sqrt(q.shape[-1]))
    p = e / np.einsum("bhij->bhi", e)[..., np.newaxis]
    return np.einsum("bhij,bjhd->bihd", p, v).reshape(Q.shape) @ W_o
