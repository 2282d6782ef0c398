# names: wo-transposed
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    dk = Q.shape[2] // num_heads
    out = np.zeros(Q.shape)
    for b in range(len(Q)):
        cat = []
        for h in range(num_heads):
            c = slice(h * dk, (h + 1) * dk)
            s = (Q[b] @ W_q[:, c]) @ (K[b] @ W_k[:, c]).T / np.sqrt(dk)
            s = np.exp(s - s.max(1, keepdims=True))
            cat.append(s / s.sum(1, keepdims=True) @ (V[b] @ W_v[:, c]))
        cat = np.hstack(cat)
        for i in range(len(cat)):
            out[b, i] = W_o @ cat[i]
    return out
