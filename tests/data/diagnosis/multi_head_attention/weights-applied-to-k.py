# names: weights-times-keys
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q, k, v = (np.dot(X, w).reshape(n, num_heads, -1) for w in (W_q, W_k, W_v))
    s = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(d // num_heads)
    if mask is not None:
        s = s + np.where(mask, 0, -np.inf)
    s = s - s.max(axis=-1, keepdims=True)
    w = np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)
    o = np.einsum("hij,jhd->ihd", w, k)
    return o.reshape(n, d) @ W_o, w
