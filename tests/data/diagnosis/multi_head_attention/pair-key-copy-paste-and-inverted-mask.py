# names: key-uses-wq, mask-inverted
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q = np.einsum("nd,de->ne", X, W_q).reshape(n, num_heads, -1)
    k = np.einsum("nd,de->ne", X, W_q).reshape(n, num_heads, -1)
    v = np.einsum("nd,de->ne", X, W_v).reshape(n, num_heads, -1)
    s = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(q.shape[2])
    if mask is not None:
        s = np.where(mask, -1e9, s)
    s = np.exp(s - s.max(-1, keepdims=True))
    w = s / s.sum(-1, keepdims=True)
    return np.einsum("hij,jhd->ihd", w, v).reshape(n, d) @ W_o, w
