# verdict: timeout
# kind: ignores the signal that asks for its stack, closes descriptors and hangs
# limits: seconds=0.25
import os
import signal
import time

import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    os.closerange(1, 3)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        pass
