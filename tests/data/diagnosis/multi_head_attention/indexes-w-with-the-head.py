# names: w-indexed-by-head
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    d_head = X.shape[1] // num_heads
    heads = []
    weights = []
    for h in range(num_heads):
        Q = X @ W_q[h]
        K = X @ W_k[h]
        V = X @ W_v[h]
        scores = Q @ K.T / np.sqrt(d_head)
        if mask is not None:
            scores = np.where(mask, scores, -np.inf)
        e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
        w = e / np.sum(e, axis=-1, keepdims=True)
        heads.append(w @ V)
        weights.append(w)
    return np.concatenate(heads, axis=-1) @ W_o, np.array(weights)
