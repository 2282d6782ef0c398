# names: wk-transposed
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    hs = []
    for q, k, v in zip(*(np.dsplit(a @ w, num_heads) for a, w in ((Q, W_q), (K, W_k.T), (V, W_v)))):
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
        s = np.exp(s - s.max(2, keepdims=True))
        hs.append(s / s.sum(2, keepdims=True) @ v)
    return np.dstack(hs) @ W_o
