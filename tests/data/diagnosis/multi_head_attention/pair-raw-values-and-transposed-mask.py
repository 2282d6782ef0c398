# names: v-not-projected, mask-transposed
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q, k, v = (M.reshape(n, num_heads, -1) for M in (X @ W_q, X @ W_k, X))
    s = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(q.shape[2])
    if mask is not None:
        s = np.where(np.asarray(mask).T, s, -np.inf)
    s = np.exp(s - s.max(-1, keepdims=True))
    w = s / s.sum(-1, keepdims=True)
    return np.einsum("hij,jhd->ihd", w, v).reshape(n, d) @ W_o, w
