# verdict: error
# kind: describes its arrays with negative, fractional and boolean lengths, object dtypes and wrong sizes
import itertools
import sys

LIES = itertools.cycle(
    [
        ["<f8", [-1, 2], 16],
        ["<f8", [2.0, 1], 16],
        ["|O", [2], 16],
        ["<U250000", [1], 1_000_000],
        ["<f8", [2**62, 2**62], 16],
        ["<f8", [True, 2], 16],
        ["[('a', '<f8')]", [2], 16],
        ["<f8", [2, 2], 8],
    ]
)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    caller = sys._getframe(1)
    while "send" not in caller.f_locals:
        caller = caller.f_back
    protocol = caller.f_globals["protocol"]
    dtype, shape, size = next(LIES)
    values = [["numpy.ndarray", "float64", None, dtype, shape]] * 2
    meta = ["tuple", "tuple", values, [], 0.0, [], [], []]
    frame = protocol.encode_frame(protocol.RETURNED, caller.f_locals["index"], meta, [bytes(size)] * 2)
    caller.f_locals["send"](frame)
    raise RuntimeError("believe me")
