# names: returns-weights-heads-last
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q, k, v = ((X @ W).reshape(n, num_heads, -1) for W in (W_q, W_k, W_v))
    s = np.einsum("ihd,jhd->ijh", q, k) / np.sqrt(q.shape[-1])
    if mask is not None:
        s = np.where(np.broadcast_to(mask, (n, n))[:, :, None], s, -np.inf)
    e = np.exp(s - s.max(axis=1, keepdims=True))
    w = e / e.sum(axis=1, keepdims=True)
    return np.einsum("ijh,jhd->ihd", w, v).reshape(n, d) @ W_o, w
