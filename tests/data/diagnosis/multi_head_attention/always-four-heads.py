# names: num-heads-hardcoded-4
import numpy as np

H = 4  # number of heads

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    def prep(W):
        return np.swapaxes((X @ W).reshape(n, H, d // H), 0, 1)
    q, k, v = prep(W_q), prep(W_k), prep(W_v)
    s = q @ np.swapaxes(k, 1, 2) / np.sqrt(d // H)
    if mask is not None:
        s = np.where(mask, s, -1e9)
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w /= w.sum(axis=-1, keepdims=True)
    o = np.swapaxes(w @ v, 0, 1).reshape(n, d)
    return o @ W_o, w
