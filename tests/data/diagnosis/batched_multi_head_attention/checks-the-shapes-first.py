# names: asserts-equal-shapes
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    assert Q.shape == K.shape == V.shape, "Q, K and V must have the same shape"
    heads = []
    for q, k, v in zip(*(np.split(a @ w, num_heads, 2) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))):
        s = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])
        e = np.exp(s - s.max(2, keepdims=True))
        heads.append(e / e.sum(2, keepdims=True) @ v)
    return np.concatenate(heads, 2) @ W_o
