import numpy as np


def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = Q @ W_q, K @ W_k, V @ W_v
    scores = q @ k.T / np.sqrt(q.shape[-1] // num_heads)
    weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return weights @ v @ W_o
