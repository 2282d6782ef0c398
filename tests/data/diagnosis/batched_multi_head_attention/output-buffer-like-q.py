# names: int-buffer-zeros_like
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    out = np.zeros_like(Q)
    dh = Q.shape[-1] // num_heads
    for b in range(Q.shape[0]):
        for h in range(num_heads):
            c = slice(h * dh, (h + 1) * dh)
            s = (Q[b] @ W_q[:, c]) @ (K[b] @ W_k[:, c]).T / np.sqrt(dh)
            e = np.exp(s - s.max(axis=-1, keepdims=True))
            out[b, :, c] = e / e.sum(axis=-1, keepdims=True) @ (V[b] @ W_v[:, c])
    return out @ W_o
