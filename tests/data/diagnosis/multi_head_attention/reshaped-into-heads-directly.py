# names: split-reshape-without-transpose
import numpy as np

class Attention:
    def __init__(self, heads):
        self.heads = heads

    def split(self, A):
        n, d = A.shape
        return A.reshape(self.heads, n, d // self.heads)

    def join(self, A):
        h, n, dh = A.shape
        return np.moveaxis(A, 0, 1).reshape(n, h * dh)

    def __call__(self, q, k, v, mask):
        q, k, v = self.split(q), self.split(k), self.split(v)
        s = np.matmul(q, np.swapaxes(k, 1, 2)) / np.sqrt(q.shape[2])
        if mask is not None:
            s = np.where(mask, s, -np.inf)
        s -= np.max(s, axis=2, keepdims=True)
        p = np.exp(s)
        p /= np.sum(p, axis=2, keepdims=True)
        return self.join(np.matmul(p, v)), p

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    att = Attention(num_heads)
    c, w = att(X @ W_q, X @ W_k, X @ W_v, mask)
    return c @ W_o, w
