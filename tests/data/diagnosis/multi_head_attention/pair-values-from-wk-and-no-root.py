# names: value-uses-wk, scale-by-dk-no-sqrt
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_k
    C, A = np.zeros((n, d)), np.zeros((num_heads, n, n))
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        for i in range(n):
            s = K[:, c] @ Q[i, c] / dh
            if mask is not None:
                s = np.where(np.broadcast_to(mask, (n, n))[i], s, -np.inf)
            e = np.exp(s - s.max())
            A[h, i] = e / e.sum()
            C[i, c] = A[h, i] @ V[:, c]
    return C @ W_o, A
