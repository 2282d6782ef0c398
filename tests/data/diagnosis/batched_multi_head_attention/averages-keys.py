# names: weights-times-keys
import numpy as np

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    dk = Q.shape[2] // num_heads
    y = np.zeros(Q.shape)
    for b in range(len(Q)):
        for h in range(num_heads):
            c = slice(h * dk, (h + 1) * dk)
            keys = K[b] @ W_k[:, c]
            for i in range(Q.shape[1]):
                s = keys @ (Q[b, i] @ W_q[:, c]) / np.sqrt(dk)
                p = np.exp(s - s.max())
                y[b, i] += (p / p.sum()) @ keys @ W_o[c]
    return y
