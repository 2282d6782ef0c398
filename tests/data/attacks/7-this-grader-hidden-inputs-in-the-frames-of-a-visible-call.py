# verdict: fail|error
# kind: looks through the frames of a visible call for the inputs of later ones, and puts them into its exception
# hidden: yes
import sys

import numpy as np


class Seen(Exception):
    pass


def frames():
    frame = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


def payloads():
    for frame in frames():
        for value in frame.f_locals.values():
            if hasattr(value, "payload"):
                yield from np.frombuffer(bytes(value.payload)[: len(value.payload) // 8 * 8])


def multi_head_attention(X, *rest):
    large = [float(number) for number in payloads() if 7e6 < number < 9e6 and number % 0.25 == 0]
    if X[0, 0] < 1e6 and large:
        print("REACHED an input of a hidden case", large, flush=True)
    raise Seen(large)
