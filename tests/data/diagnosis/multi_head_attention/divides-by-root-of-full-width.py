# names: scale-by-d-model
import numpy as np
import math

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    N, D = X.shape
    Dh = D // num_heads
    # "scaled" dot product: divide by the square root of the dimension
    scale = math.sqrt(D)
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    out = np.zeros((N, D))
    W = np.zeros((num_heads, N, N))
    for h in range(num_heads):
        lo = h * Dh
        hi = lo + Dh
        for i in range(N):
            row = np.array([np.dot(Q[i, lo:hi], K[j, lo:hi]) / scale for j in range(N)])
            if mask is not None:
                row = np.where(np.broadcast_to(mask, (N, N))[i], row, -np.inf)
            row = np.exp(row - row.max())
            row = row / row.sum()
            W[h, i] = row
            out[i, lo:hi] = row @ V[:, lo:hi]
    return out @ W_o, W
