# names: k-dot-T-all-axes
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    def heads(x):
        b, n, d = x.shape
        return x.reshape(b, n, num_heads, d // num_heads).transpose(0, 2, 1, 3)
    q, k, v = heads(Q @ W_q), heads(K @ W_k), heads(V @ W_v)
    scores = np.matmul(q, k.T) / np.sqrt(q.shape[-1])
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    o = np.matmul(p, v).transpose(0, 2, 1, 3)
    return o.reshape(Q.shape) @ W_o
