# names: nothing
# passes
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q, k, v = ((X @ W).reshape(n, num_heads, -1) for W in (W_q, W_k, W_v))
    s = np.einsum("ihf,jhf->hij", q, k) / np.sqrt(d // num_heads)
    keep = np.ones_like(s) if mask is None else np.broadcast_to(mask, s.shape)
    m = np.ma.array(s, mask=~keep.astype(bool))
    e = np.ma.exp(m - m.max(axis=-1, keepdims=True)).filled(0.0)
    w = e / e.sum(axis=-1, keepdims=True)
    return np.einsum("hij,jhf->ihf", w, v).reshape(n, d) @ W_o, w
