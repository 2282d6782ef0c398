# names: kv-reshaped-with-query-length, scale-by-d-model
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    dk = d // num_heads
    Q = (Q @ W_q).reshape(B, n, num_heads, dk).transpose(0, 2, 1, 3)
    K = (K @ W_k).reshape(B, n, num_heads, dk).transpose(0, 2, 1, 3)
    V = (V @ W_v).reshape(B, n, num_heads, dk).transpose(0, 2, 1, 3)
    s = np.matmul(Q, K.transpose(0, 1, 3, 2)) / np.sqrt(d)
    s = np.exp(s - np.max(s, axis=-1, keepdims=True))
    p = s / np.sum(s, axis=-1, keepdims=True)
    return np.matmul(p, V).transpose(0, 2, 1, 3).reshape(B, n, d) @ W_o
