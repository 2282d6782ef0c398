# names: mask-assumed-causal
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    out, ws = np.zeros((n, d)), np.zeros((num_heads, n, n))
    for h in range(num_heads):
        c = slice(h * dh, h * dh + dh)
        for i in range(n):
            last = n if mask is None else i + 1    # cannot look into the future
            s = K[:last, c] @ Q[i, c] / np.sqrt(dh)
            e = np.exp(s - s.max())
            ws[h, i, :last] = e / e.sum()
        out[:, c] = ws[h] @ V[:, c]
    return out @ W_o, ws
