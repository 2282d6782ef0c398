# names: scale-by-d-model
import numpy as np

def head(q, k, v, scale):
    s = np.einsum("bqd,bkd->bqk", q, k) / scale
    e = np.exp(s - np.max(s, axis=2, keepdims=True))
    return np.einsum("bqk,bkd->bqd", e / np.sum(e, axis=2, keepdims=True), v)

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    d_k = Q.shape[-1]
    w = d_k // num_heads
    scale = np.sqrt(d_k)
    cols = [slice(i, i + w) for i in range(0, d_k, w)]
    res = [head(Q @ W_q[:, c], K @ W_k[:, c], V @ W_v[:, c], scale) for c in cols]
    return np.concatenate(res, axis=2) @ W_o
