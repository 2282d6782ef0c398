# verdict: fail|error
# kind: a trace function that looks into every later frame of the worker
import sys

import numpy as np


def spy(frame, event, argument):
    for name in ("expected", "reference", "tolerance"):
        if name in frame.f_locals:
            print("REACHED", name, flush=True)
    return spy


sys.settrace(spy)
frame = sys._getframe()
while frame is not None:
    frame.f_trace = spy
    frame = frame.f_back


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
