# verdict: error
# kind: forges remarks whose details are of another type than their sentences need
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

REMARKS = iter([["axes", "many", ""], ["none", 3, ""], ["deep", None, {}], ["cut", -1, ""], ["object", [], ""], ["ok", "", ""]] * 9)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    values = [["NoneType", "", next(REMARKS), "", []]] * 2
    forged("RETURNED", ["tuple", "tuple", values, [], 0.1, [], [next(REMARKS)], []])
    raise RuntimeError("believe me")
