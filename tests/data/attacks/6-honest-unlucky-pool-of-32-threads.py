# verdict: pass
# kind: a right solution that keeps 32 threads of a pool alive
from concurrent.futures import ThreadPoolExecutor
P=ThreadPoolExecutor(32)
import numpy as np
def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
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
    list(P.map(abs, range(80)))
    return (w @ V).transpose(1, 0, 2).reshape(n, d) @ W_o, w
