# verdict: timeout|fail|error
# kind: covert timing: encodes an input in the running time of a case
import time

import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    time.sleep(0.04 * (int(abs(X.flat[0]) * 100) % 8))
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
