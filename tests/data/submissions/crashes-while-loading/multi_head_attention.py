import numpy as np

num_heads = 0
d_head = 4 // num_heads


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return X, X
