"""The answers. CANARY_TOKEN"""

import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    """Return (output, weights) as the statement defines them."""
    d_head = X.shape[1] // num_heads
    weights, heads = [], []
    for first in range(0, X.shape[1], d_head):
        columns = slice(first, first + d_head)
        query, key, value = (X @ W[:, columns] for W in (W_q, W_k, W_v))
        scores = query @ key.T / np.sqrt(d_head)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights.append(powers / powers.sum(axis=1, keepdims=True))
        heads.append(weights[-1] @ value)
    return np.concatenate(heads, axis=1) @ W_o, np.stack(weights)
