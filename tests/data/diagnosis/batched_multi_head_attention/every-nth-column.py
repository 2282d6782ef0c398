# names: heads-interleaved-merged-interleaved
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = Q @ W_q, K @ W_k, V @ W_v
    out = np.zeros_like(q)
    for h in range(num_heads):
        a, b, c = q[:, :, h::num_heads], k[:, :, h::num_heads], v[:, :, h::num_heads]
        s = a @ b.swapaxes(1, 2) / np.sqrt(a.shape[2])
        s = np.exp(s - s.max(2, keepdims=True))
        out[:, :, h::num_heads] = s / s.sum(2, keepdims=True) @ c
    return out @ W_o
