# names: weights-transposed-times-values
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q, k, v = ((X @ W).reshape(n, num_heads, -1) for W in (W_q, W_k, W_v))
    s = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    s = np.exp(s - s.max(-1, keepdims=True))
    w = s / s.sum(-1, keepdims=True)
    o = np.einsum("hji,jhd->ihd", w, v)
    return o.reshape(n, d) @ W_o, w
