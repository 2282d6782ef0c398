# names: softmax-over-queries
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    dh = Q.shape[-1] // num_heads
    out = []
    for b in range(len(Q)):
        hs = []
        for h in range(num_heads):
            c = slice(h * dh, (h + 1) * dh)
            s = (Q[b] @ W_q[:, c]) @ (K[b] @ W_k[:, c]).T / np.sqrt(dh)
            e = np.exp(s - s.max(axis=0))
            hs.append((e / e.sum(axis=0)) @ (V[b] @ W_v[:, c]))
        out.append(np.hstack(hs) @ W_o)
    return np.stack(out)
