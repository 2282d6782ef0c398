# verdict: pass
# kind: sibling helper module: from helpers import softmax, and the helper was submitted too
import numpy as np
from helpers import split_heads, softmax


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    Q, K, V = (split_heads(X @ W, num_heads) for W in (W_q, W_k, W_v))
    scores = Q @ K.swapaxes(1, 2) / np.sqrt(d_model // num_heads)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return (weights @ V).swapaxes(0, 1).reshape(n, d_model) @ W_o, weights
