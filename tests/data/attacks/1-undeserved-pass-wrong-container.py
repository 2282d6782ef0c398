# verdict: fail|error
# kind: wrong container: a generator of results that the first reader consumes
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    return (np.zeros(shape) for shape in (X.shape, (num_heads, n, n)))
