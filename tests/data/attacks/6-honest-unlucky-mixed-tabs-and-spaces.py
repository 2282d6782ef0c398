# verdict: error
# kind: mixed tabs and spaces: a TabError
import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n, d_model = X.shape
	d_head = d_model // num_heads
    return X, d_head
