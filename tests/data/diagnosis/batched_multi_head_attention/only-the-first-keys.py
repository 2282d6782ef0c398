# names: truncates-kv-to-query-length
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    dk = Q.shape[2] // num_heads
    out = np.zeros(Q.shape)
    for b in range(len(Q)):
        for h in range(num_heads):
            c = slice(h * dk, (h + 1) * dk)
            q = Q[b]
            k, v = K[b][:len(q)], V[b][:len(q)]     # one key for every query
            s = (q @ W_q[:, c]) @ (k @ W_k[:, c]).T / np.sqrt(dk)
            s = np.exp(s - s.max(1, keepdims=True))
            out[b, :, c] = s / s.sum(1, keepdims=True) @ (v @ W_v[:, c])
    return out @ W_o
