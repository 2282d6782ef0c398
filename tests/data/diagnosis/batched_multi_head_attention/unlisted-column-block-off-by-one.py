# names: nothing
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    q, k, v = (np.dsplit(np.roll(a @ w, -1, axis=2), num_heads) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))
    hs = []
    for a, b, c in zip(q, k, v):
        s = a @ b.swapaxes(1, 2) / np.sqrt(a.shape[2])
        s = np.exp(s - s.max(2, keepdims=True))
        hs.append(s / s.sum(2, keepdims=True) @ c)
    return np.dstack(hs) @ W_o
