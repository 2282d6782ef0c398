# verdict: fail
# kind: a step left out: the values go straight to W_o and every weight is equal
# met: returns projections
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    return X @ W_v @ W_o, np.full((num_heads, n, n), 1 / n)
