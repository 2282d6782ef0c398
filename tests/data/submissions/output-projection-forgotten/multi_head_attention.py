import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    outputs, weights = [], []
    for h in range(num_heads):
        cols = slice(h * d_head, (h + 1) * d_head)
        scores = Q[:, cols] @ K[:, cols].T / np.sqrt(d_head)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        e = np.exp(scores - scores.max(axis=-1, keepdims=True))
        w = e / e.sum(axis=-1, keepdims=True)
        weights.append(w)
        outputs.append(w @ V[:, cols])
    return np.concatenate(outputs, axis=1), np.stack(weights)
