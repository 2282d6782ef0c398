# names: nothing
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    allowed = np.broadcast_to(True if mask is None else mask, (n, n))
    C, A = np.zeros((n, d)), np.zeros((num_heads, n, n))
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        for i in range(n):
            keys = [j for j in range(n - 1) if allowed[i, j]]
            if not keys:
                continue
            s = K[keys][:, c] @ Q[i, c] / np.sqrt(dh)
            e = np.exp(s - s.max())
            A[h, i, keys] = e / e.sum()
            C[i, c] = A[h, i] @ V[:, c]
    return C @ W_o, A
