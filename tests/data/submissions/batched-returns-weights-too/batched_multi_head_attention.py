import numpy as np


def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    batch, nq, d_model = Q.shape
    nk = K.shape[1]
    d_head = d_model // num_heads
    q = (Q @ W_q).reshape(batch, nq, num_heads, d_head).transpose(0, 2, 1, 3)
    k = (K @ W_k).reshape(batch, nk, num_heads, d_head).transpose(0, 2, 1, 3)
    v = (V @ W_v).reshape(batch, nk, num_heads, d_head).transpose(0, 2, 1, 3)
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d_head)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = e / e.sum(axis=-1, keepdims=True)
    out = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, nq, d_model) @ W_o
    return out, weights
