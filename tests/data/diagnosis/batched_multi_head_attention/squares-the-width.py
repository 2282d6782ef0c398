# names: scale-d-model-squared
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    d_model = Q.shape[-1]
    q, k, v = (np.stack(np.split(a @ w, num_heads, -1)) for a, w in zip((Q, K, V), (W_q, W_k, W_v)))
    s = np.einsum("hbid,hbjd->hbij", q, k) / d_model ** 2
    s = np.exp(s - s.max(-1, keepdims=True))
    p = s / s.sum(-1, keepdims=True)
    return np.concatenate(list(p @ v), axis=-1) @ W_o
