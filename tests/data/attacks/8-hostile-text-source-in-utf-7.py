# verdict: error
# kind: a right solution that a reader does not see: UTF-7 -*- coding: utf_7 -*-
import numpy as np

def multi+AF8-head+AF8-attention(X, W+AF8-q, W+AF8-k, W+AF8-v, W+AF8-o, num+AF8-heads, mask=None):
    n, d+AF8-model = X.shape
    d+AF8-head = d+AF8-model // num+AF8-heads
    Q, K, V = ((X @ W).reshape(n, num+AF8-heads, d+AF8-head).swapaxes(0, 1) for W in (W+AF8-q, W+AF8-k, W+AF8-v))
    scores = Q @ K.swapaxes(1, 2) / np.sqrt(d+AF8-head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ V).swapaxes(0, 1).reshape(n, d+AF8-model) @ W+AF8-o, weights
