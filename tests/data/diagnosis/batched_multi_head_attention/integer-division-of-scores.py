# names: scale-floor-division
import numpy as np
from math import sqrt

def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
    dk = Q.shape[2] // num_heads
    answer = []
    for b in range(len(Q)):
        rows = []
        for i in range(Q.shape[1]):
            row = []
            for h in range(num_heads):
                c = slice(h * dk, (h + 1) * dk)
                q = Q[b, i] @ W_q[:, c]
                s = np.array([q @ (x @ W_k[:, c]) // sqrt(dk) for x in K[b]])
                p = np.exp(s - s.max())
                p = p / p.sum()
                row.append(sum(p[j] * (V[b, j] @ W_v[:, c]) for j in range(len(p))))
            rows.append(np.concatenate(row))
        answer.append(np.array(rows) @ W_o)
    return np.array(answer)
