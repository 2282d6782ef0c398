# names: mutates-qkv-inplace-matmul
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    # save memory
    Q[...] = Q @ W_q
    K[...] = K @ W_k
    V[...] = V @ W_v
    heads = []
    for q, k, v in zip(*(np.split(a, num_heads, 2) for a in (Q, K, V))):
        s = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])
        e = np.exp(s - s.max(2, keepdims=True))
        heads.append(e / e.sum(2, keepdims=True) @ v)
    return np.concatenate(heads, 2) @ W_o
