import numpy as np


def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    heads = []
    for q, k, v in zip(*(np.split(A @ W, num_heads, axis=2) for A, W in [(Q, W_q), (K, W_k), (V, W_v)])):
        s = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])
        e = np.exp(s - s.max(axis=2, keepdims=True))
        heads.append(e / e.sum(axis=2, keepdims=True) @ v)
    return (np.concatenate(heads, axis=2) @ W_o).tolist()
