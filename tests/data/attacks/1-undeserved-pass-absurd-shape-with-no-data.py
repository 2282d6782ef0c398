# verdict: fail|error
# kind: absurd shape with no data: a zero-byte array that claims 2**40 columns
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return np.empty((0, 2**40)), np.empty((2**30, 0, 2**25))
