# names: split-before-projection
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    w = Q.shape[2] // num_heads
    hs = []
    for i, (q, k, v) in enumerate(zip(*(np.dsplit(a, num_heads) for a in (Q, K, V)))):
        blk = (slice(i * w, i * w + w),) * 2
        q, k, v = q @ W_q[blk], k @ W_k[blk], v @ W_v[blk]
        s = q @ k.swapaxes(1, 2) / np.sqrt(w)
        s = np.exp(s - s.max(2, keepdims=True))
        hs.append(s / s.sum(2, keepdims=True) @ v)
    return np.dstack(hs) @ W_o
