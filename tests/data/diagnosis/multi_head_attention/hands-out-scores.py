# names: returns-scores-not-weights
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q, k, v = ((X @ W).reshape(n, num_heads, -1).transpose(1, 0, 2) for W in (W_q, W_k, W_v))
    attention = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    if mask is not None:
        attention = np.where(mask, attention, -np.inf)
    e = np.exp(attention - attention.max(-1, keepdims=True))
    out = (e / e.sum(-1, keepdims=True)) @ v
    return out.transpose(1, 0, 2).reshape(n, d) @ W_o, attention
