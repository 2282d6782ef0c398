# names: einsum-ij-swapped
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    q = np.einsum("bnd,de->bne", Q, W_q).reshape(B, n, num_heads, -1)
    k = np.einsum("bnd,de->bne", K, W_k).reshape(B, K.shape[1], num_heads, -1)
    v = np.einsum("bnd,de->bne", V, W_v).reshape(B, V.shape[1], num_heads, -1)
    s = np.einsum("bihd,bjhd->bhji", q, k) / np.sqrt(d // num_heads)
    s = np.exp(s - s.max(-1, keepdims=True))
    p = s / s.sum(-1, keepdims=True)
    o = np.matmul(p, v.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)
    return o.reshape(B, n, d) @ W_o
