# names: qkv-not-projected
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    Qp, Kp, Vp = Q @ W_q, K @ W_k, V @ W_v
    heads = []
    for q, k, v in zip(np.split(Q, num_heads, -1), np.split(K, num_heads, -1), np.split(V, num_heads, -1)):
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        heads.append(scores / scores.sum(axis=-1, keepdims=True) @ v)
    return np.concatenate(heads, axis=-1) @ W_o
