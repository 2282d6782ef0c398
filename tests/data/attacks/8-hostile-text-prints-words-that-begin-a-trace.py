# verdict: fail
# kind: output of 900 KB that repeats the first word of a trace: the grader must read it in linear time
import os

import numpy as np

TEXT = b"Stack("
os.write(1, (TEXT * (900_000 // len(TEXT)))[:900_000])


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return X @ W_o, np.ones((num_heads, len(X), len(X))) / len(X)
