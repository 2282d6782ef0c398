# verdict: error|fail
# kind: gives warnings of categories and texts that tell the input of a hidden case, also when it is loaded for these
# hidden: yes
import sys
import warnings

import numpy as np


def tell(number):
    category = type(f"Input{number!r}", (UserWarning,), {})
    warnings.warn(f"the input is {number!r}", category, stacklevel=2)


def numbers():
    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            payload = getattr(value, "payload", b"")
            if isinstance(payload, memoryview):
                data = bytes(payload)
                yield from np.frombuffer(data[: len(data) // 8 * 8]).tolist()
        frame = frame.f_back


for number in set(numbers()):
    if 1e6 < number < 1e8:
        tell(number)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    tell(float(X.max()))
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
