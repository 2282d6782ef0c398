import sys


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    if num_heads:
        sys.exit("not finished")
    return X, X
