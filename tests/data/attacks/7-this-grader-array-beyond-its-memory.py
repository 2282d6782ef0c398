# verdict: error
# kind: a view far beyond its own memory, to crash or to read what lies there
import numpy as np
from numpy.lib.stride_tricks import as_strided


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return as_strided(np.zeros(1), (2, 2), (2**44, 2**43)), X
