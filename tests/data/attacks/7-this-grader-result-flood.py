# verdict: fail|memory|output-limit|error
# kind: returns half a gigabyte of zeros where four numbers were asked for
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return np.zeros((8000, 8000)), np.zeros((8, 1000, 1000))
