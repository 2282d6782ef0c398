# verdict: error|fail
# kind: a timer whose signal handler raises while the worker's own code runs
import signal

import numpy as np


class Surprise(BaseException):
    pass


def handler(number, frame):
    raise Surprise


signal.signal(signal.SIGALRM, handler)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    signal.setitimer(signal.ITIMER_REAL, 0.00005, 0.00005)
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
