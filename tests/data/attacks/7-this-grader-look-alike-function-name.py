# verdict: error
# kind: the function's name is written with a Cyrillic letter
import numpy as np


def multi_head_attentiоn(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return X, X
