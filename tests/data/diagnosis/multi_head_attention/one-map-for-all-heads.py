# names: returns-mean-weights
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    out = np.zeros((n, d))
    total = np.zeros((n, n))
    for h in range(num_heads):
        c = slice(h * dh, (h + 1) * dh)
        s = X @ W_q[:, c] @ (X @ W_k[:, c]).T / np.sqrt(dh)
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s = np.exp(s - s.max(axis=1, keepdims=True))
        w = s / s.sum(axis=1, keepdims=True)
        total += w
        out[:, c] = w @ (X @ W_v[:, c])
    # average attention like nn.MultiheadAttention
    return out @ W_o, total / num_heads
