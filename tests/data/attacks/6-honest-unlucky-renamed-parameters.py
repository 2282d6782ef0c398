# verdict: pass|error
# kind: renamed parameters: a call by position does not mind
import numpy as np


def multi_head_attention(x, wq, wk, wv, wo, heads, m=None):
    n, d_model = x.shape
    d_head = d_model // heads
    q, k, v = (np.stack(np.split(x @ w, heads, axis=1)) for w in (wq, wk, wv))
    s = q @ k.transpose(0, 2, 1) / np.sqrt(d_head)
    if m is not None:
        s = np.where(m, s, -np.inf)
    a = np.exp(s - s.max(axis=-1, keepdims=True))
    a = a / a.sum(axis=-1, keepdims=True)
    return np.concatenate(list(a @ v), axis=1) @ wo, a
