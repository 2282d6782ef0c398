# names: mask-result-discarded
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    q = (X @ W_q).reshape(n, num_heads, dh)
    k = (X @ W_k).reshape(n, num_heads, dh)
    v = (X @ W_v).reshape(n, num_heads, dh)
    s = np.einsum("qhd,khd->hqk", q, k) / dh ** 0.5
    if mask is not None:
        np.where(mask, s, -np.inf)
    s = s - s.max(axis=-1, keepdims=True)
    e = np.exp(s)
    w = e / e.sum(axis=-1, keepdims=True)
    return np.einsum("hqk,khd->qhd", w, v).reshape(n, d) @ W_o, w
