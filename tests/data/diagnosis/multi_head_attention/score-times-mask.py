# names: mask-multiplies-scores
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    hd = d // num_heads
    Q, K, V = X.dot(W_q), X.dot(W_k), X.dot(W_v)
    W = np.zeros((num_heads, n, n))
    C = np.zeros((n, d))
    M = np.ones((n, n)) if mask is None else np.broadcast_to(mask, (n, n))
    for h in range(num_heads):
        for i in range(n):
            r = np.zeros(n)
            for j in range(n):
                r[j] = Q[i, h * hd:(h + 1) * hd].dot(K[j, h * hd:(h + 1) * hd]) / np.sqrt(hd) * M[i, j]
            r = np.exp(r - r.max())
            W[h, i] = r / r.sum()
            for j in range(n):
                C[i, h * hd:(h + 1) * hd] += W[h, i, j] * V[j, h * hd:(h + 1) * hd]
    return C.dot(W_o), W
