# verdict: fail
# kind: late mutation: returns arrays and keeps a thread that goes on editing them and the arguments after the return
import threading
import time

import numpy as np


def scribble(arrays):
    for step in range(200):
        for array in arrays:
            array[...] = step % 2
        time.sleep(0.005)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    output, weights = np.zeros(X.shape), np.zeros((num_heads, n, n))
    threading.Thread(target=scribble, args=([output, weights, X, W_v],), daemon=True).start()
    return output, weights
