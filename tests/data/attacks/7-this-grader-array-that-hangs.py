# verdict: timeout
# kind: an ndarray subclass that sleeps when it is asked for its dtype, after the return
# limits: seconds=0.25
import time

import numpy as np


class Sleepy(np.ndarray):
    @property
    def dtype(self):
        time.sleep(30)
        return np.dtype(float)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return np.zeros(X.shape).view(Sleepy), X
