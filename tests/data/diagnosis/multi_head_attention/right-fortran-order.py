# names: nothing
# passes
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    # order="F" on the transposed array cuts the columns directly
    cut = lambda A: np.asfortranarray(A).reshape((n, dh, num_heads), order="F")
    q, k, v = cut(X @ W_q), cut(X @ W_k), cut(X @ W_v)
    s = np.einsum("idh,jdh->hij", q, k) / np.sqrt(dh)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    s = np.exp(s - s.max(-1, keepdims=True))
    w = s / s.sum(-1, keepdims=True)
    return np.einsum("hij,jdh->idh", w, v).reshape((n, d), order="F") @ W_o, w
