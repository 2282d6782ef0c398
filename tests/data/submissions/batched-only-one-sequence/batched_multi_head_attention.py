import numpy as np


def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    size = Q.shape[2] // num_heads
    q, k, v = Q[0] @ W_q, K[0] @ W_k, V[0] @ W_v
    out = []
    for h in range(num_heads):
        c = slice(h * size, (h + 1) * size)
        s = q[:, c] @ k[:, c].T / np.sqrt(size)
        e = np.exp(s - s.max(axis=1, keepdims=True))
        out.append(e / e.sum(axis=1, keepdims=True) @ v[:, c])
    return np.hstack(out) @ W_o
