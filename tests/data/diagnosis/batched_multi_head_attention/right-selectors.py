# names: nothing
# passes
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    d = Q.shape[-1]
    q, k, v = Q @ W_q, K @ W_k, V @ W_v
    owner = np.arange(d) // (d // num_heads)
    ctx = np.zeros_like(q)
    for h in range(num_heads):
        mine = owner == h
        s = (q * mine) @ k.swapaxes(1, 2) / np.sqrt(mine.sum())
        s = np.exp(s - s.max(-1, keepdims=True))
        ctx += s / s.sum(-1, keepdims=True) @ v * mine
    return ctx @ W_o
