# names: batch-flattened-into-sequence
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    d = Q.shape[-1]
    flat = [np.hsplit(x.reshape(-1, d) @ w, num_heads) for x, w in ((Q, W_q), (K, W_k), (V, W_v))]
    hs = []
    for q, k, v in zip(*flat):
        s = q @ k.T / np.sqrt(q.shape[1])
        s = np.exp(s - s.max(1, keepdims=True))
        hs.append(s / s.sum(1, keepdims=True) @ v)
    return (np.hstack(hs) @ W_o).reshape(Q.shape)
