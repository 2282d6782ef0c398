# names: value-uses-wk
import numpy as np

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dk = d // num_heads
    wq = W_q.reshape(d, num_heads, dk)
    wk = W_k.reshape(d, num_heads, dk)
    wv = W_k.reshape(d, num_heads, dk)
    q = np.einsum("nd,dhk->hnk", X, wq)
    k = np.einsum("nd,dhk->hnk", X, wk)
    v = np.einsum("nd,dhk->hnk", X, wv)
    s = np.einsum("hik,hjk->hij", q, k) / np.sqrt(dk)
    if mask is not None:
        s = np.where(mask, s, -np.inf)
    m = s.max(axis=2, keepdims=True)
    lse = m + np.log(np.exp(s - m).sum(axis=2, keepdims=True))
    w = np.exp(s - lse)
    o = np.einsum("hij,hjk->ihk", w, v).reshape(n, d)
    return o @ W_o, w
