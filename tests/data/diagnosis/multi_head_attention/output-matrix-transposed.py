# names: wo-transposed
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    Q, K, V = (np.moveaxis((X @ W).reshape(n, num_heads, dh), 1, 0) for W in (W_q, W_k, W_v))
    s = np.einsum("hid,hjd->hij", Q, K) / np.sqrt(dh)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    m = s.max(-1, keepdims=True)
    w = np.exp(s - m - np.log(np.exp(s - m).sum(-1, keepdims=True)))
    c = np.einsum("hij,hjd->ihd", w, V).reshape(n, d)
    return np.einsum("nd,ed->ne", c, W_o), w
