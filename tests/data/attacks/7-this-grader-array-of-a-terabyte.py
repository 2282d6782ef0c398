# verdict: memory|fail|error
# kind: a view with zero strides that claims 2**40 elements
import numpy as np
from numpy.lib.stride_tricks import as_strided


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return as_strided(np.zeros(1), (2**20, 2**20), (0, 0)), X
