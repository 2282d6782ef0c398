# names: nothing
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    q, k, v = ((X @ W).reshape(n, num_heads, -1) for W in (W_q, W_k, W_v))
    s = np.tanh(np.einsum("ihf,jhf->hij", q, k) / np.sqrt(q.shape[-1]))
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    w = e / e.sum(-1, keepdims=True)
    return np.einsum("hij,jhf->ihf", w, v).reshape(n, d) @ W_o, w
