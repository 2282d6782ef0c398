# names: merge-reshape-without-transpose, mask-added-as-number
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q, k, v = (np.array(np.hsplit(X @ W, num_heads)) for W in (W_q, W_k, W_v))
    s = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = s + mask
    s = np.exp(s - s.max(-1, keepdims=True))
    w = s / s.sum(-1, keepdims=True)
    return (w @ v).reshape(n, d) @ W_o, w
