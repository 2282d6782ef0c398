import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = (np.stack(np.split(X @ W, num_heads, axis=1)) for W in (W_q, W_k, W_v))
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_head)
    row = 0
    # forgot to count up; on one line, so that there is one place where it hangs
    while mask is not None and row < n: scores[:, row] = np.where(mask, scores[:, row], -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return np.concatenate(list(weights @ V), axis=1) @ W_o, weights
