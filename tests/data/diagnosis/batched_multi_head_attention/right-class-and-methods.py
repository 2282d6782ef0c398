# names: nothing
# passes
import numpy as np

class MHA:
    def __init__(self, heads, **w):
        self.heads, self.w = heads, w

    def split(self, x):
        return np.moveaxis(x.reshape(x.shape[0], x.shape[1], self.heads, -1), -2, 1)

    def merge(self, x):
        x = np.moveaxis(x, 1, 2)
        return x.reshape(x.shape[0], x.shape[1], -1)

    def softmax(self, x):
        x = x - x.max(-1)[..., None]
        return np.exp(x) / np.exp(x).sum(-1)[..., None]

    def __call__(self, q, k, v):
        q, k, v = self.split(q @ self.w["q"]), self.split(k @ self.w["k"]), self.split(v @ self.w["v"])
        a = self.softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))
        return self.merge(a @ v) @ self.w["o"]

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    return MHA(num_heads, q=W_q, k=W_k, v=W_v, o=W_o)(Q, K, V)
