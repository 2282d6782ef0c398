import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    size = X.shape[1] // num_heads
    for h in range(num_heads):
        c = slice(h * size, (h + 1) * size)
        scores = (X @ W_q)[:, c] @ (X @ W_k)[:, c].T / np.sqrt(size)
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        w = e / e.sum(axis=1, keepdims=True)
        yield w @ (X @ W_v)[:, c], w
