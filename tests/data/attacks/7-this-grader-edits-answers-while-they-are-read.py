# verdict: fail|error|timeout|output-limit
# kind: a thread that flips all bytes of the shared memory while the grader reads it
import mmap
import threading
import time

import numpy as np


def flip(memory):
    end = time.monotonic() + 1
    while time.monotonic() < end:
        for place in range(0, 65536, 4096):
            page = memory[place : place + 4096]
            memory[place : place + 4096] = page[::-1]


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    for descriptor in range(3, 64):
        try:
            memory = mmap.mmap(descriptor, 0)
        except (OSError, ValueError):
            continue
        threading.Thread(target=flip, args=(memory,), daemon=True).start()
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
