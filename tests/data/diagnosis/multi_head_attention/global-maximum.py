# names: softmax-global-max-shift
import numpy as np

def stable_softmax(z):
    # subtract the max so that exp can not overflow
    e = np.exp(z - np.max(z))
    return e / np.sum(e, axis=-1, keepdims=True)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    q, k, v = (np.swapaxes((X @ W).reshape(n, num_heads, dh), 0, 1) for W in (W_q, W_k, W_v))
    s = np.einsum("hid,hjd->hij", q, k) / np.sqrt(dh)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    w = stable_softmax(s)
    return np.swapaxes(w @ v, 0, 1).reshape(n, d) @ W_o, w
