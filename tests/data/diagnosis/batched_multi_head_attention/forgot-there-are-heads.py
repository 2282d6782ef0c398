# names: num-heads-ignored
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    out = []
    for x, y, z in zip(Q, K, V):
        q, k, v = x.dot(W_q), y.dot(W_k), z.dot(W_v)
        s = q.dot(k.T) / q.shape[1] ** 0.5
        s = np.exp(s - s.max(1, keepdims=True))
        out.append((s / s.sum(1, keepdims=True)).dot(v).dot(W_o))
    return np.array(out)
