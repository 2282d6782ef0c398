# names: head-dim-true-division
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, nq, d = Q.shape
    d_k = d / num_heads
    q = (Q @ W_q).reshape(B, nq, num_heads, d_k).swapaxes(1, 2)
    k = (K @ W_k).reshape(B, K.shape[1], num_heads, d_k).swapaxes(1, 2)
    v = (V @ W_v).reshape(B, V.shape[1], num_heads, d_k).swapaxes(1, 2)
    s = q @ k.swapaxes(2, 3) / np.sqrt(d_k)
    s = np.exp(s - s.max(3, keepdims=True))
    o = s / s.sum(3, keepdims=True) @ v
    return o.swapaxes(1, 2).reshape(B, nq, d) @ W_o
