# names: nothing
# passes
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    f = Q.shape[-1] // num_heads
    total = np.zeros(Q.shape)
    for at in range(0, Q.shape[-1], f):
        c = slice(at, at + f)
        s = Q @ (W_q[:, c] @ W_k[:, c].T) @ K.transpose(0, 2, 1) * f ** -0.5
        p = np.exp(s - np.logaddexp.reduce(s, axis=-1, keepdims=True))
        total += p @ (V @ (W_v[:, c] @ W_o[c]))
    return total
