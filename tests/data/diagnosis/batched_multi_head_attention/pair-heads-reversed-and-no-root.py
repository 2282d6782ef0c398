# names: merge-heads-reversed, scale-by-dk-no-sqrt
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    dk = Q.shape[-1] // num_heads
    hs = []
    for h in reversed(range(num_heads)):
        c = slice(h * dk, (h + 1) * dk)
        s = np.einsum("bid,bjd->bij", Q @ W_q[:, c], K @ W_k[:, c]) / dk
        s = np.exp(s - s.max(2, keepdims=True))
        hs.append(s / s.sum(2, keepdims=True) @ (V @ W_v[:, c]))
    return np.dstack(hs) @ W_o
