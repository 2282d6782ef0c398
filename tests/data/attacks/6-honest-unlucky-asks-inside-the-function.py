# verdict: error
# kind: a forgotten breakpoint-like input() inside the function
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    print(X)
    input("press Enter to go on")
    return X, X
