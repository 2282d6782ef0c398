# verdict: error
# kind: forges changed arguments that do not exist, thousands of warnings and names of values used twice
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

import contextlib


@contextlib.contextmanager
def right_shapes(X, num_heads):
    yield [["numpy.ndarray", "float64", None, "<f8", list(X.shape)],
           ["numpy.ndarray", "float64", None, "<f8", [num_heads, len(X), len(X)]]]


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    payload = bytes(8 * (X.size + num_heads * len(X) ** 2))
    with right_shapes(X, num_heads) as values:
        warnings = [["W" * 80, "w" * 200, None, 0]] * 900
        forged("RETURNED", ["dictionary", "dict", values, ["output", "output"], 1e308, [3, 3, 2**40], [], warnings], payload)
    raise RuntimeError("believe me")
