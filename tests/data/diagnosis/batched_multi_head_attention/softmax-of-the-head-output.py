# names: softmax-after-values
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    heads = []
    for q, k, v in zip(*(np.split(a @ w, num_heads, 2) for a, w in ((Q, W_q), (K, W_k), (V, W_v)))):
        z = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2]) @ v
        z = np.exp(z - z.max(axis=2, keepdims=True))
        heads.append(z / z.sum(axis=2, keepdims=True))
    return np.concatenate(heads, axis=2) @ W_o
