# verdict: pass
# kind: mutates its inputs: scales and centres in place, so each case must own fresh copies
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    W_q *= 0
    X -= X
    if mask is not None and mask.ndim:
        mask = np.broadcast_to(mask, (n, n))
    weights = np.empty((num_heads, n, n))
    merged = np.empty((n, d_model))
    for h in range(num_heads):
        columns = slice(h * d_head, (h + 1) * d_head)
        scores = Q[:, columns] @ K[:, columns].T
        scores /= np.sqrt(d_head)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        weights[h] = scores
        merged[:, columns] = scores @ V[:, columns]
    return merged @ W_o, weights
