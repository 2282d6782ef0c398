# verdict: error
# kind: forges the name of a dtype as text that NumPy refuses and that a CI log would read as a command
import sys

import numpy as np


def worker():
    frame = sys._getframe()
    while "send" not in frame.f_locals:
        frame = frame.f_back
    return frame


def forged(kind, meta, payload=b""):
    frame = worker()
    protocol = frame.f_globals["protocol"]
    text = protocol.encode_frame(getattr(protocol, kind), frame.f_locals["index"], meta, [payload])
    frame.f_locals["send"](text)

def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    value = ["numpy.ndarray", "##[add-mask]x not a dtype", None, "<f8", [0]]
    forged("RETURNED", ["tuple", "tuple", [value, value], [], 0.1, [], [], []])
    raise RuntimeError("believe me")
