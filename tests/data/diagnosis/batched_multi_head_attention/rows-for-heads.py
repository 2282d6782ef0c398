# names: head-takes-rows-of-w
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    hs = []
    for wq, wk, wv in zip(*(np.vsplit(w, num_heads) for w in (W_q, W_k, W_v))):
        q, k, v = Q @ wq.T, K @ wk.T, V @ wv.T
        s = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[2])
        s = np.exp(s - s.max(2, keepdims=True))
        hs.append(s / s.sum(2, keepdims=True) @ v)
    return np.dstack(hs) @ W_o
