# names: softmax-missing
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    B, nq, d = Q.shape
    dk = d // num_heads
    result = np.zeros((B, nq, d))
    for b in range(B):
        q, k, v = Q[b] @ W_q, K[b] @ W_k, V[b] @ W_v
        blocks = []
        for h in range(num_heads):
            i = slice(h * dk, h * dk + dk)
            attention = q[:, i] @ k[:, i].T / np.sqrt(dk)
            blocks.append(attention @ v[:, i])
        result[b] = np.concatenate(blocks, axis=1) @ W_o
    return result
