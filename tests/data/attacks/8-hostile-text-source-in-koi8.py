# verdict: pass
# kind: an honest source in a declared single-byte encoding of Russia -*- coding: koi8-r -*-
import numpy as np

AUTHOR = 'Мария'
assert len(AUTHOR) == 5

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = ((X @ W).reshape(n, num_heads, d_head).swapaxes(0, 1) for W in (W_q, W_k, W_v))
    scores = Q @ K.swapaxes(1, 2) / np.sqrt(d_head)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return (weights @ V).swapaxes(0, 1).reshape(n, d_model) @ W_o, weights
