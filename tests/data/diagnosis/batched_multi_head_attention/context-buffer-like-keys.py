# names: output-buffer-key-length
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    dk = Q.shape[2] // num_heads
    out = np.zeros(K.shape)
    for h in range(num_heads):
        c = slice(h * dk, (h + 1) * dk)
        s = (Q @ W_q[:, c]) @ (K @ W_k[:, c]).swapaxes(1, 2) / np.sqrt(dk)
        s = np.exp(s - s.max(2, keepdims=True))
        out[:, :, c] = s / s.sum(2, keepdims=True) @ (V @ W_v[:, c])
    return out @ W_o
