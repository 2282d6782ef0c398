import numpy as np

from helpers import softmax
import shapes


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    Q, K, V = [shapes.to_heads(X @ W, num_heads) for W in (W_q, W_k, W_v)]
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    weights = softmax(scores)
    return shapes.from_heads(weights @ V) @ W_o, weights
