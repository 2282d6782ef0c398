# names: mask-fill-minus-100
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    q, k, v = [np.einsum("nd,de->ne", X, W).reshape(n, num_heads, dh) for W in (W_q, W_k, W_v)]
    s = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(dh)
    if mask is not None:
        s = np.where(mask, s, -100.0)
    s -= s.max(axis=-1, keepdims=True)
    p = np.exp(s)
    p /= p.sum(axis=-1, keepdims=True)
    return np.einsum("hij,jhd->ihd", p, v).reshape(n, d) @ W_o, p
