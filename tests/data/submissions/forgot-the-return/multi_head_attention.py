import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    scores = Q @ K.T / np.sqrt(X.shape[1] // num_heads)
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    output = weights @ V @ W_o
    print(output, weights)
