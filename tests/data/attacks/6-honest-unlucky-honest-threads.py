# verdict: pass
# kind: honest threads: a ThreadPoolExecutor over the heads
from concurrent.futures import ThreadPoolExecutor

import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v

    def one_head(h):
        c = slice(h * d_head, (h + 1) * d_head)
        scores = Q[:, c] @ K[:, c].T / np.sqrt(d_head)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        w = e / e.sum(axis=1, keepdims=True)
        return w, w @ V[:, c]

    with ThreadPoolExecutor(max_workers=4) as pool:
        results = list(pool.map(one_head, range(num_heads)))
    weights = np.stack([w for w, _ in results])
    return np.concatenate([head for _, head in results], axis=1) @ W_o, weights
