# names: scale-by-dk-no-sqrt
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    d_k = Q.shape[-1] // num_heads
    q, k, v = (np.array(np.dsplit(a @ w, num_heads)) for a, w in ((Q, W_q), (K, W_k / d_k), (V, W_v)))
    s = np.einsum("hbid,hbjd->hbij", q, k)
    s = np.exp(s - s.max(-1, keepdims=True))
    s = s / s.sum(-1, keepdims=True)
    return np.concatenate(list(s @ v), axis=2) @ W_o
