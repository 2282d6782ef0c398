# names: kv-reshaped-with-query-length
import numpy as np

class MHA:
    def __init__(self, h):
        self.h = h

    def heads(self, x, B, L):
        return np.moveaxis(x.reshape(B, L, self.h, -1), 2, 1)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    batch, length, d_model = Q.shape
    m = MHA(num_heads)
    q = m.heads(np.matmul(Q, W_q), batch, length)
    k = m.heads(np.matmul(K, W_k), batch, length)
    v = m.heads(np.matmul(V, W_v), batch, length)
    s = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(d_model // num_heads)
    e = np.exp(s - s.max(-1)[..., None])
    w = e / e.sum(-1)[..., None]
    ctx = np.moveaxis(np.matmul(w, v), 1, 2).reshape(batch, length, d_model)
    return np.matmul(ctx, W_o)
