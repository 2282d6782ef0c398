# names: weights-transposed-all
import numpy as np

class Linear:
    """like torch.nn.Linear"""
    def __init__(self, weight):
        self.weight = weight
    def __call__(self, x):
        return np.einsum("...i,oi->...o", x, self.weight)

class MHA:
    def __init__(self, wq, wk, wv, wo, h):
        self.q, self.k, self.v, self.o = Linear(wq), Linear(wk), Linear(wv), Linear(wo)
        self.h = h
    def heads(self, t):
        return np.stack(np.split(t, self.h, axis=1))
    def forward(self, x, mask):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        a = np.einsum("hid,hjd->hij", q, k) / np.sqrt(q.shape[-1])
        if mask is not None:
            a = np.where(mask, a, -np.inf)
        a = np.exp(a - a.max(-1, keepdims=True))
        a = a / a.sum(-1, keepdims=True)
        return self.o(np.concatenate(list(a @ v), axis=1)), a

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return MHA(W_q, W_k, W_v, W_o, num_heads).forward(X, mask)
