# names: split-and-merge-without-transpose
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, Lq, D = Q.shape
    Lk = K.shape[1]
    q = np.reshape(np.dot(Q, W_q), (B, num_heads, Lq, D // num_heads))
    k = np.reshape(np.dot(K, W_k), (B, num_heads, Lk, D // num_heads))
    v = np.reshape(np.dot(V, W_v), (B, num_heads, Lk, D // num_heads))
    out = np.empty((B, num_heads, Lq, D // num_heads))
    for b in range(B):
        for h in range(num_heads):
            s = np.dot(q[b, h], k[b, h].T) / np.sqrt(D // num_heads)
            e = np.exp(s - s.max(axis=1).reshape(-1, 1))
            out[b, h] = np.dot(e / e.sum(axis=1).reshape(-1, 1), v[b, h])
    return np.dot(np.reshape(out, (B, Lq, D)), W_o)
