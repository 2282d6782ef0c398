# names: mask-inverted
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q, k, v = ((X @ W).reshape(n, num_heads, -1) for W in (W_q, W_k, W_v))
    s = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(q.shape[2])
    if mask is not None:
        s += np.asarray(mask) * -1e9      # like in the TensorFlow tutorial
    s = np.exp(s - s.max(-1, keepdims=True))
    w = s / s.sum(-1, keepdims=True)
    return np.einsum("hij,jhd->ihd", w, v).reshape(n, d) @ W_o, w
