# verdict: timeout
# kind: replaces sys.stdout by an object whose flush takes for ever
# limits: seconds=0.25
import sys
import time

import numpy as np


class Drain:
    def write(self, text):
        return len(text)

    def flush(self):
        time.sleep(30)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    sys.stdout = sys.stderr = Drain()
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
