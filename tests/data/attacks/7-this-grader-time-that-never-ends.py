# verdict: fail|error
# kind: forges calls that took longer than the universe exists, or no time, or less
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

TIMES = iter([1e308, 0.0, 5e-324, -0.0] * 9)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    values = [["numpy.ndarray", "float64", None, "<f8", list(X.shape)],
              ["numpy.ndarray", "float64", None, "<f8", [num_heads, len(X), len(X)]]]
    payload = bytes(8 * (X.size + num_heads * len(X) ** 2))
    forged("RETURNED", ["tuple", "tuple", values, [], next(TIMES), [], [], []], payload)
    raise RuntimeError("believe me")
