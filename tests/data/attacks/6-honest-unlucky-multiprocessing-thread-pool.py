# verdict: error|forbidden|pass
# kind: multiprocessing.pool.ThreadPool, which needs a semaphore in shared memory
from multiprocessing.pool import ThreadPool
import numpy as np
def _m_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape
    dh = d // num_heads
    sp = lambda M: (X @ M).reshape(n, num_heads, dh).transpose(1, 0, 2)
    Q, K, V = sp(W_q), sp(W_k), sp(W_v)
    S = Q @ K.transpose(0, 2, 1) / np.sqrt(dh)
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    S = S - S.max(-1, keepdims=True)
    E = np.exp(S)
    w = E / E.sum(-1, keepdims=True)
    return (w @ V).transpose(1, 0, 2).reshape(n, d) @ W_o, w

def multi_head_attention(*a, **k):
    with ThreadPool(2) as p:
        return p.apply(_m_attention, a, k)
