# names: scores-q-q
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    Q = np.moveaxis((X @ W_q).reshape(n, num_heads, dh), 1, 0)
    K = np.moveaxis((X @ W_k).reshape(n, num_heads, dh), 1, 0)
    V = np.moveaxis((X @ W_v).reshape(n, num_heads, dh), 1, 0)
    scores = Q @ np.moveaxis(Q, 1, 2) / np.sqrt(dh)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    scores -= scores.max(axis=-1)[:, :, None]
    W = np.exp(scores)
    W /= W.sum(axis=-1)[:, :, None]
    return np.moveaxis(W @ V, 0, 1).reshape(n, d) @ W_o, W
