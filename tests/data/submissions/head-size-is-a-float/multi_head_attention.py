import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
    d_head = d_model / num_heads
    Q = (X @ W_q).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    K = (X @ W_k).reshape(n, num_heads, d_head).transpose(1, 0, 2)
    return Q, K
