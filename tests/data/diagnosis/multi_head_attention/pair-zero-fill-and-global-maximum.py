# names: mask-fills-zero, softmax-global-max-shift
import numpy as np

def softmax(a):
    e = np.exp(a - a.max())
    return e / e.sum(axis=-1, keepdims=True)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q, k, v = (np.swapaxes((X @ W).reshape(n, num_heads, -1), 0, 1) for W in (W_q, W_k, W_v))
    s = q @ np.swapaxes(k, 1, 2) / np.sqrt(q.shape[-1])
    if mask is not None:
        s[:, ~np.broadcast_to(mask, (n, n))] = 0
    w = softmax(s)
    return np.swapaxes(w @ v, 0, 1).reshape(n, d) @ W_o, w
