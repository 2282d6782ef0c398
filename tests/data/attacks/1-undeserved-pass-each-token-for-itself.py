# verdict: fail
# kind: a step left out: every token attends to itself alone
# met: returns projections concatenation
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    return X @ W_v @ W_o, np.stack([np.eye(n)] * num_heads)
