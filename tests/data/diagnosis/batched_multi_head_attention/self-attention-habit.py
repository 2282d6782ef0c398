# names: self-attention-only-q
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    out = []
    for x in Q:
        q, k, v = (np.hsplit(x @ w, num_heads) for w in (W_q, W_k, W_v))
        hs = []
        for a, b, c in zip(q, k, v):
            s = a @ b.T / np.sqrt(a.shape[1])
            s = np.exp(s - s.max(1, keepdims=True))
            hs.append(s / s.sum(1, keepdims=True) @ c)
        out.append(np.hstack(hs) @ W_o)
    return np.array(out)
