# names: merge-reshape-without-transpose, scale-double-sqrt
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = (np.stack(np.dsplit(a @ w, num_heads), axis=1) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))
    s = q @ k.swapaxes(2, 3) / q.shape[3] ** 0.25
    s = np.exp(s - s.max(3, keepdims=True))
    return (s / s.sum(3, keepdims=True) @ v).reshape(Q.shape) @ W_o
