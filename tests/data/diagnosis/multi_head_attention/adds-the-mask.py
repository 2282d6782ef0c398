# names: mask-added-as-number
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    dk = X.shape[1] // num_heads
    q, k, v = X @ W_q, X @ W_k, X @ W_v
    o, a = [], []
    for h in range(num_heads):
        i = slice(dk * h, dk * (h + 1))
        scores = q[:, i] @ k[:, i].T / np.sqrt(dk)
        if mask is not None:
            scores = scores + mask     # additive mask
        e = np.exp(scores - scores.max(axis=1)[:, None])
        a.append(e / e.sum(axis=1)[:, None])
        o.append(a[-1] @ v[:, i])
    return np.hstack(o) @ W_o, np.array(a)
