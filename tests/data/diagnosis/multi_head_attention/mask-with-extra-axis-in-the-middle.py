# names: mask-broadcast-over-head-axis
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    q, k, v = ((X @ W).reshape(n, num_heads, dh).transpose(1, 0, 2) for W in (W_q, W_k, W_v))
    s = q @ k.swapaxes(1, 2) / np.sqrt(dh)
    if mask is not None:
        mask = np.broadcast_to(mask, (n, n))
        s = np.where(np.expand_dims(mask, 1), s, -np.inf)
    s = np.exp(s - s.max(axis=-1, keepdims=True))
    w = s / s.sum(axis=-1, keepdims=True)
    return (w @ v).transpose(1, 0, 2).reshape(n, d) @ W_o, w
