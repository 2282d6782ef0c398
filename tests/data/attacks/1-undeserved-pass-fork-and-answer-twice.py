# verdict: forbidden|error
# kind: fork and answer twice: two processes answer the same case on the same protocol
import os

import numpy as np

twin = False


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    global twin
    if twin:
        os._exit(0)
    child = os.fork()
    if child == 0:
        twin = True
    else:
        os.waitpid(child, 0)
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
