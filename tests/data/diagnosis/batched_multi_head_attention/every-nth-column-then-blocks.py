# names: heads-interleaved-merged-contiguous
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    hs = []
    for h in range(num_heads):
        q, k, v = Q @ W_q[:, h::num_heads], K @ W_k[:, h::num_heads], V @ W_v[:, h::num_heads]
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
        s = np.exp(s - s.max(2, keepdims=True))
        hs.append(s / s.sum(2, keepdims=True) @ v)
    return np.concatenate(hs, axis=2) @ W_o
