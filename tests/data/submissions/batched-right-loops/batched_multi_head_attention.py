import numpy as np


def attend(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) @ v


def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    size = W_q.shape[1] // num_heads
    result = []
    for item in range(len(Q)):
        q, k, v = Q[item] @ W_q, K[item] @ W_k, V[item] @ W_v
        heads = [
            attend(q[:, a : a + size], k[:, a : a + size], v[:, a : a + size])
            for a in range(0, num_heads * size, size)
        ]
        result.append(np.hstack(heads) @ W_o)
    return np.array(result)
