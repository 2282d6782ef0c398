# names: wo-omitted
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, nq, d = Q.shape
    dk = d // num_heads
    out = np.zeros((B, nq, d))
    for b in range(B):
        for h in range(num_heads):
            c = slice(h * dk, (h + 1) * dk)
            q, k, v = Q[b] @ W_q[:, c], K[b] @ W_k[:, c], V[b] @ W_v[:, c]
            s = q @ k.T / np.sqrt(dk)
            e = np.exp(s - s.max(axis=1, keepdims=True))
            out[b, :, c] = e / e.sum(axis=1, keepdims=True) @ v
    return out
