# names: scale-by-dk-no-sqrt
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    dk = d_model // num_heads
    Q = np.rollaxis((X @ W_q).reshape(n, num_heads, dk), 1)
    K = np.rollaxis((X @ W_k).reshape(n, num_heads, dk), 1)
    V = np.rollaxis((X @ W_v).reshape(n, num_heads, dk), 1)
    Q = Q / dk     # scaling Q first, it's the same thing
    s = Q @ K.transpose(0, 2, 1)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    w = np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True))
    o = np.rollaxis(w @ V, 1).reshape(n, d_model)
    return o @ W_o, w
