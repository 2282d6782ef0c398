# verdict: fail|error
# kind: sends well-made frames with zeros for every case through the worker's own send, then the end
import sys

import numpy as np


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    caller = sys._getframe(2)
    protocol, send = caller.f_globals["protocol"], caller.f_locals["send"]
    zeros = np.zeros(X.shape)
    meta = ["tuple", "tuple", [["numpy.ndarray", "float64", "", "<f8", zeros.shape]], [], 0.0, []]
    for index in range(len(caller.f_locals["request"].calls)):
        send(protocol.encode_frame(protocol.RETURNED, index, meta, [zeros.tobytes()]))
    send(protocol.encode_frame(protocol.END, 0, None))
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))
