# names: int-buffer-zeros_like
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    concat = np.zeros_like(X)
    weights = np.zeros((num_heads, n, n))
    for h in range(num_heads):
        lo, hi = h * dh, (h + 1) * dh
        s = Q[:, lo:hi] @ K[:, lo:hi].T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(axis=1, keepdims=True))
        weights[h] = e / e.sum(axis=1, keepdims=True)
        concat[:, lo:hi] = weights[h] @ V[:, lo:hi]
    return concat @ W_o, weights
