# names: first-head-reused
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    dk = Q.shape[2] // num_heads
    hs = []
    for h in range(num_heads):
        q, k, v = Q @ W_q[:, :dk], K @ W_k[:, :dk], V @ W_v[:, :dk]
        s = q @ k.swapaxes(1, 2) / np.sqrt(dk)
        s = np.exp(s - s.max(2, keepdims=True))
        hs.append(s / s.sum(2, keepdims=True) @ v)
    return np.dstack(hs) @ W_o
