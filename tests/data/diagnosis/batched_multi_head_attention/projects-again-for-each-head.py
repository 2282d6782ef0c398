# names: rebinds-projection-in-loop
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, n, d = Q.shape
    dk = d // num_heads
    out = np.zeros((B, n, d))
    for h in range(num_heads):
        Q, K, V = Q @ W_q, K @ W_k, V @ W_v
        c = slice(h * dk, (h + 1) * dk)
        s = np.einsum("bid,bjd->bij", Q[..., c], K[..., c]) / np.sqrt(dk)
        s = np.exp(s - s.max(2, keepdims=True))
        out[..., c] = s / s.sum(2, keepdims=True) @ V[..., c]
    return out @ W_o
