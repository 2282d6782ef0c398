# names: nothing
# passes
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B = len(Q)
    q, k, v = (np.concatenate(np.dsplit(a @ w, num_heads)) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))
    s = np.matmul(q, k.transpose(0, 2, 1)) / np.sqrt(q.shape[2])
    s = np.exp(s - s.max(2, keepdims=True))
    o = np.matmul(s / s.sum(2, keepdims=True), v)
    return np.dstack([o[i:i + B] for i in range(0, B * num_heads, B)]) @ W_o
