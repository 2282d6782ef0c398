# verdict: error
# kind: forges an exception with impossible error numbers, lines, files and flags
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

FACTS = [
    {"errno": 2**31 - 1},
    {"errno": -1},
    {"memory": "yes"},
    {"frames": [[10**9, 0, "f"]] * 4000 + [[1, 2]]},
    {"line": 1e999, "column": float("nan")},
    {"seconds": -1e308},
]


@lambda function: function
def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    fact = FACTS[len(X) % len(FACTS)]
    forged("RAISED", {"type": "Passed", "message": "10 of 10", "seconds": 0.1, **fact})
    raise RuntimeError("believe me")
