# names: nothing
# passes
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, nq, d = Q.shape
    nk = K.shape[1]
    dk = d // num_heads
    q = (Q @ W_q).reshape(B, nq, num_heads, dk).transpose(0, 2, 1, 3)
    k = (K @ W_k).reshape(B, nk, num_heads, dk).transpose(0, 2, 1, 3)
    v = (V @ W_v).reshape(B, nk, num_heads, dk).transpose(0, 2, 1, 3)
    s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(dk)
    s = np.exp(s - s.max(axis=-1, keepdims=True))
    w = s / s.sum(axis=-1, keepdims=True)
    return (w @ v).transpose(0, 2, 1, 3).reshape(B, nq, d) @ W_o
