# verdict: fail|error
# kind: prints the input of hidden cases from threads, at any time and by every descriptor
# hidden: yes
import contextvars
import os
import sys
import threading

import numpy as np

SEEN = contextvars.ContextVar("SEEN", default="")


def talk(context):
    text = context.run(SEEN.get)
    for _ in range(200):
        os.write(1, f"input {text}\n".encode())
        os.write(2, f"input {text}\n".encode())
        sys.__stdout__.write(text)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    if X.max() > 1e6:
        SEEN.set(repr(X.tolist()))
        threading.Thread(target=talk, args=[contextvars.copy_context()], daemon=True).start()
        print(SEEN.get())
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
