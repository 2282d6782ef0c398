# verdict: fail
# kind: a step left out: every query takes the mean of the values
# met: returns projections
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    output = np.broadcast_to((X @ W_v @ W_o).mean(axis=0), X.shape)
    return output, np.full((num_heads, n, n), 1 / n)
