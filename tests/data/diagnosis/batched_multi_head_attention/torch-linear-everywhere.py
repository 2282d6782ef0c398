# names: weights-transposed-all
import numpy as np

def linear(x, W):
    return np.einsum("bni,oi->bno", x, W)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    hs = []
    for q, k, v in zip(*(np.dsplit(linear(a, w), num_heads) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))):
        s = np.einsum("bid,bjd->bij", q, k) / np.sqrt(q.shape[2])
        s = np.exp(s - s.max(2, keepdims=True))
        hs.append(s / s.sum(2, keepdims=True) @ v)
    return linear(np.dstack(hs), W_o)
