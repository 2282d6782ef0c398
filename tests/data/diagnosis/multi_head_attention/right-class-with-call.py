# names: nothing
# passes
import numpy as np

class MultiHeadAttention:
    def __init__(self, W_q, W_k, W_v, W_o, num_heads):
        self.W = (W_q, W_k, W_v)
        self.W_o = W_o
        self.h = num_heads

    def _split(self, t):
        return np.moveaxis(t.reshape(len(t), self.h, -1), 1, 0)

    def _merge(self, t):
        return np.moveaxis(t, 0, 1).reshape(t.shape[1], -1)

    def __call__(self, x, mask=None):
        q, k, v = (self._split(x @ w) for w in self.W)
        q = q * q.shape[-1] ** -0.5
        s = q @ np.swapaxes(k, -1, -2)
        if mask is not None:
            s = s + np.where(mask, 0.0, -1e9)
        s = s - s.max(axis=-1)[..., None]
        a = np.exp(s)
        a /= a.sum(axis=-1)[..., None]
        return self._merge(a @ v) @ self.W_o, a

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return MultiHeadAttention(W_q, W_k, W_v, W_o, num_heads)(X, mask)
