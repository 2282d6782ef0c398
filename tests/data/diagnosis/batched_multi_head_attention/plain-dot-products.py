# names: scale-missing
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    hs = []
    for q, k, v in zip(*(np.dsplit(a @ w, num_heads) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))):
        s = q @ k.swapaxes(1, 2)
        p = np.exp(s - np.logaddexp.reduce(s, axis=2, keepdims=True))
        hs.append(p @ v)
    return np.dstack(hs) @ W_o
