# names: softmax-global-max-shift, weights-transposed-all
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    q, k, v = (np.inner(x, w).reshape(B, -1, num_heads, d // num_heads) for x, w in ((Q, W_q), (K, W_k), (V, W_v)))
    s = np.einsum("bihd,bjhd->bhij", q, k) / np.sqrt(d // num_heads)
    s = np.exp(s - s.max())
    p = s / s.sum(-1, keepdims=True)
    return np.inner(np.einsum("bhij,bjhd->bihd", p, v).reshape(B, n, d), W_o)
