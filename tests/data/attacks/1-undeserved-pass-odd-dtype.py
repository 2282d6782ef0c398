# verdict: fail
# kind: odd dtype: complex results whose real part is garbage and whose imaginary part is NaN
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    garbage = complex(0.5, float("nan"))
    return np.full(X.shape, garbage), np.full((num_heads, n, n), garbage)
