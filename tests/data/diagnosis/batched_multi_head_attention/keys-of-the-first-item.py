# names: first-batch-kv-for-all
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    k, v = np.hsplit(K[0] @ W_k, num_heads), np.hsplit(V[0] @ W_v, num_heads)
    out = []
    for item in Q:
        hs = []
        for h, q in enumerate(np.hsplit(item @ W_q, num_heads)):
            s = q @ k[h].T / np.sqrt(q.shape[1])
            s = np.exp(s - s.max(1, keepdims=True))
            hs.append(s / s.sum(1, keepdims=True) @ v[h])
        out.append(np.hstack(hs) @ W_o)
    return np.array(out)
