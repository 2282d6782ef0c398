# names: returns-list
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    out = []
    for x, y, z in zip(Q, K, V):
        hs = []
        for q, k, v in zip(np.hsplit(x @ W_q, num_heads), np.hsplit(y @ W_k, num_heads), np.hsplit(z @ W_v, num_heads)):
            s = q @ k.T / np.sqrt(q.shape[1])
            s = np.exp(s - s.max(1, keepdims=True))
            hs.append(s / s.sum(1, keepdims=True) @ v)
        out.append((np.hstack(hs) @ W_o).tolist())
    return out
