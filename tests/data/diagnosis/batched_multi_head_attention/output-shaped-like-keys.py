# names: output-reshaped-with-key-length
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    def cut(x):
        b, n, d = x.shape
        return x.reshape(b, n, num_heads, d // num_heads).transpose(0, 2, 1, 3)
    q, k, v = cut(Q @ W_q), cut(K @ W_k), cut(V @ W_v)
    s = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
    w = np.exp(s - s.max(-1, keepdims=True))
    w /= w.sum(-1, keepdims=True)
    o = (w @ v).transpose(0, 2, 1, 3)
    batch, length, d_model = K.shape
    return o.reshape(batch, length, d_model) @ W_o
