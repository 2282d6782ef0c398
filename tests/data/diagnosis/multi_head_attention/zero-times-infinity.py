# names: mask-times-minus-inf-nan
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    q, k, v = ((X @ W).reshape(n, num_heads, dh).transpose(1, 0, 2) for W in (W_q, W_k, W_v))
    s = q @ k.transpose(0, 2, 1) / np.sqrt(dh)
    if mask is not None:
        bias = (1 - np.asarray(mask).astype(float)) * -np.inf
        s = s + bias
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    return (w @ v).transpose(1, 0, 2).reshape(n, d) @ W_o, w
