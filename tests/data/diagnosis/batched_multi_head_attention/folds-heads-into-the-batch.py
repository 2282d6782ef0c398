# names: batch-head-order-mixed
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, nq, d = Q.shape
    fold = lambda x: np.concatenate(np.split(x, num_heads, axis=2), axis=0)   # (h*B, n, dh)
    q, k, v = fold(Q @ W_q), fold(K @ W_k), fold(V @ W_v)
    s = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])
    s = np.exp(s - s.max(2, keepdims=True))
    o = s / s.sum(2, keepdims=True) @ v
    o = o.reshape(B, num_heads, nq, -1)
    return np.concatenate([o[:, h] for h in range(num_heads)], axis=2) @ W_o
