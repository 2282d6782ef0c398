# names: weights-transposed-times-values
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    dk = Q.shape[2] // num_heads
    out = []
    for b in range(len(Q)):
        hs = []
        for h in range(num_heads):
            c = slice(h * dk, (h + 1) * dk)
            s = (Q[b] @ W_q[:, c]) @ (K[b] @ W_k[:, c]).T / np.sqrt(dk)
            s = np.exp(s - s.max(1, keepdims=True))
            w = s / s.sum(1, keepdims=True)
            hs.append(w.T @ (V[b] @ W_v[:, c]))
        out.append(np.hstack(hs) @ W_o)
    return np.array(out)
