# names: mask-transposed
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    qs, ks, vs = (np.hsplit(X @ W, num_heads) for W in (W_q, W_k, W_v))
    weights = np.zeros((num_heads, n, n))
    pieces = []
    for h in range(num_heads):
        s = qs[h] @ ks[h].T / np.sqrt(dh)
        if mask is not None:
            s = np.where(np.transpose(mask), s, -np.inf)
        s = np.exp(s - s.max(axis=1, keepdims=True))
        weights[h] = s / s.sum(axis=1, keepdims=True)
        pieces.append(weights[h] @ vs[h])
    return np.hstack(pieces) @ W_o, weights
