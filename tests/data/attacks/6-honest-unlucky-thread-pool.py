# verdict: pass
# kind: a right solution that computes its heads in a thread pool
import numpy as np
from concurrent.futures import ThreadPoolExecutor
def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d = X.shape; dh = d // num_heads
    Q, K, V = X @ W_q, X @ W_k, X @ W_v
    def head(h):
        c = slice(h * dh, (h + 1) * dh)
        S = Q[:, c] @ K[:, c].T / np.sqrt(dh)
        if mask is not None:
            S = np.where(mask, S, -np.inf)
        S = np.exp(S - S.max(-1, keepdims=True)); S /= S.sum(-1, keepdims=True)
        return S @ V[:, c], S
    with ThreadPoolExecutor(4) as pool:
        out = list(pool.map(head, range(num_heads)))
    return np.hstack([o for o, _ in out]) @ W_o, np.stack([w for _, w in out])
