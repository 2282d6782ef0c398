# names: attention-across-heads
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, nq, d = Q.shape
    nk = K.shape[1]
    q = (Q @ W_q).reshape(B, nq, num_heads, -1)
    k = (K @ W_k).reshape(B, nk, num_heads, -1)
    v = (V @ W_v).reshape(B, nk, num_heads, -1)
    s = np.matmul(q, np.swapaxes(k, 2, 3)) / np.sqrt(q.shape[3])
    s = s - s.max(axis=-1, keepdims=True)
    a = np.exp(s)
    a = a / a.sum(axis=-1, keepdims=True)
    return np.matmul(a, v).reshape(B, nq, d) @ W_o
