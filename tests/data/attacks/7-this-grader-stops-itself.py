# verdict: timeout
# kind: SIGSTOP to itself: neither CPU time nor progress
# limits: seconds=0.25
import os
import signal


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    os.kill(os.getpid(), signal.SIGSTOP)
    return X, X
