# verdict: fail|error
# kind: returns a tuple of a million arrays
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return (np.zeros(1),) * 1_000_000
