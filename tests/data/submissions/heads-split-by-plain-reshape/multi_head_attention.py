import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q = (X @ W_q).reshape(num_heads, n, d_head)
    K = (X @ W_k).reshape(num_heads, n, d_head)
    V = (X @ W_v).reshape(num_heads, n, d_head)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_o, weights
