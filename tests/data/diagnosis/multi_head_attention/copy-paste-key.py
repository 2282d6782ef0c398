# names: key-uses-wq
import numpy as np

def single_head(x, wq, wk, wv, mask):
    q = x.dot(wq)
    k = x.dot(wq)
    v = x.dot(wv)
    a = q.dot(k.transpose()) / np.sqrt(wq.shape[1])
    if mask is not None:
        a = np.where(mask, a, -np.inf)
    a = np.exp(a - a.max(1, keepdims=True))
    a = a / a.sum(1, keepdims=True)
    return a.dot(v), a

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    result = [
        single_head(X, wq, wk, wv, mask)
        for wq, wk, wv in zip(
            np.split(W_q, num_heads, 1), np.split(W_k, num_heads, 1), np.split(W_v, num_heads, 1)
        )
    ]
    out = np.concatenate([r[0] for r in result], axis=1)
    return out.dot(W_o), np.stack([r[1] for r in result])
