# verdict: pass
# kind: callable object: functools.partial of an instance with __call__ is the function
import functools

import numpy as np


class Attention:
    def __call__(self, fill, X, W_q, W_k, W_v, W_o, num_heads, mask=None):
        n, d_model = X.shape
        d_head = d_model // num_heads
        Q = (X @ W_q).reshape(n, num_heads, d_head).transpose(1, 0, 2)
        K = (X @ W_k).reshape(n, num_heads, d_head).transpose(1, 0, 2)
        V = (X @ W_v).reshape(n, num_heads, d_head).transpose(1, 0, 2)
        scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_head)
        if mask is not None:
            scores = np.where(mask, scores, fill)
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        return (weights @ V).transpose(1, 0, 2).reshape(n, d_model) @ W_o, weights


multi_head_attention = functools.partial(Attention(), -np.inf)
