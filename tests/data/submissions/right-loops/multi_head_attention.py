import math

import numpy as np


def softmax_row(row):
    biggest = max(row)
    exps = [math.exp(v - biggest) for v in row]
    total = sum(exps)
    return [e / total for e in exps]


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    d_model = len(X[0])
    d_head = d_model // num_heads
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    if mask is None:
        allowed = np.ones((n, n), dtype=bool)
    else:
        allowed = np.broadcast_to(mask, (n, n))
    concat = np.zeros((n, d_model))
    weights = np.zeros((num_heads, n, n))
    for h in range(num_heads):
        first = h * d_head
        for i in range(n):
            row = []
            for j in range(n):
                dot = 0.0
                for c in range(first, first + d_head):
                    dot += Q[i, c] * K[j, c]
                row.append(dot / math.sqrt(d_head) if allowed[i, j] else -math.inf)
            weights[h, i] = softmax_row(row)
            for c in range(first, first + d_head):
                concat[i, c] = sum(weights[h, i, j] * V[j, c] for j in range(n))
    return concat @ W_o, weights
