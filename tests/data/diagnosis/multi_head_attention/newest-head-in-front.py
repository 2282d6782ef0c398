# names: merge-heads-reversed
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    context = np.zeros((n, 0))
    weights = np.zeros((num_heads, n, n))
    for h in range(num_heads):
        a, b = h * dh, (h + 1) * dh
        s = (X @ W_q)[:, a:b] @ (X @ W_k)[:, a:b].T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = s - s.max(axis=1, keepdims=True)
        weights[h] = np.exp(s) / np.exp(s).sum(axis=1, keepdims=True)
        head = weights[h] @ (X @ W_v)[:, a:b]
        context = np.concatenate([head, context], axis=1)
    return context @ W_o, weights
