# verdict: error
# kind: plain bug: ZeroDivisionError; the traceback shows the learner's frames only
import numpy as np


def scale_of(d_head):
    return 1 / (d_head - d_head)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    scale = scale_of(X.shape[1] // num_heads)
    return X * scale, X
