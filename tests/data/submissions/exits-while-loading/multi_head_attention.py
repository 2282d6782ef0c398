import sys

import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return X, X


print(multi_head_attention(np.eye(2), np.eye(2), np.eye(2), np.eye(2), np.eye(2), 2))
sys.exit()
