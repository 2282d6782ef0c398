# verdict: error
# kind: a right solution whose names are escapes -*- coding: raw_unicode_escape -*-
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = ((X @ W).reshape(n, num_heads, d_head).swapaxes(0, 1) for W in (W_q, W_k, W_v))
    scores = Q @ K.swapaxes(1, 2) / \u006ep.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ V).swapaxes(0, 1).reshape(n, d_model) @ W_o, weights
