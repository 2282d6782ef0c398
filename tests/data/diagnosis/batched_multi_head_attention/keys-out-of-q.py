# names: key-from-q-input
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    q, k, v = ((x @ w).reshape(B, -1, num_heads, d // num_heads) for x, w in ((Q, W_q), (Q, W_k), (V, W_v)))
    s = np.einsum("bihd,bjhd->bhij", q, k) / np.sqrt(d // num_heads)
    s = np.exp(s - s.max(-1, keepdims=True))
    p = s / s.sum(-1, keepdims=True)
    return np.einsum("bhij,bjhd->bihd", p, v).reshape(B, n, d) @ W_o
