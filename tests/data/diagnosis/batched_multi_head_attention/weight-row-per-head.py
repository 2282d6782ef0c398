# names: w-indexed-by-head
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    d_k = Q.shape[-1] // num_heads
    heads = []
    for i in range(num_heads):
        q = np.matmul(Q, W_q[i])
        k = np.matmul(K, W_k[i])
        v = np.matmul(V, W_v[i])
        s = np.matmul(q, k.transpose(0, 2, 1)) / np.sqrt(d_k)
        e = np.exp(s - np.max(s, axis=-1, keepdims=True))
        heads.append(np.matmul(e / np.sum(e, axis=-1, keepdims=True), v))
    return np.matmul(np.concatenate(heads, axis=-1), W_o)
