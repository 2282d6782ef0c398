# names: scale-missing, wo-transposed
import numpy as np

class MHA:
    def __init__(self, *mats):
        self.wq, self.wk, self.wv, self.wo = mats

    def head(self, x, cols, mask):
        s = x @ self.wq[:, cols] @ (x @ self.wk[:, cols]).T
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        e = np.exp(s - s.max(axis=1, keepdims=True))
        w = e / e.sum(axis=1, keepdims=True)
        return w @ x @ self.wv[:, cols], w

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    m = MHA(W_q, W_k, W_v, W_o)
    size = X.shape[1] // num_heads
    hs = [m.head(X, slice(i, i + size), mask) for i in range(0, X.shape[1], size)]
    return np.hstack([h[0] for h in hs]) @ W_o.T, np.array([h[1] for h in hs])
