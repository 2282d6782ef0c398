# names: truncates-kv-to-query-length
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    dk = d // num_heads
    out = np.zeros((B, n, d))
    for b in range(B):
        for h in range(num_heads):
            c = slice(h * dk, (h + 1) * dk)
            for i in range(n):
                keys = K[b][:n] @ W_k[:, c]
                s = keys @ (Q[b, i] @ W_q[:, c]) / np.sqrt(dk)
                p = np.exp(s - s.max())
                out[b, i, c] = (p / p.sum()) @ (V[b][:n] @ W_v[:, c])
    return out @ W_o
