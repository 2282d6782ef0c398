# verdict: error
# kind: frames whose JSON is deep, endless, NaN, duplicated or of another kind than promised
import itertools
import json
import sys

TEXTS = itertools.cycle(
    [b"[" * 4000, b"1" * 4000, b"NaN", b'{"a": 1, "a": 2}', b"[]", b'"\\ud800"', b"\xff\xfe", b"null"]
)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    caller = sys._getframe(1)
    while "send" not in caller.f_locals:
        caller = caller.f_back
    protocol = caller.f_globals["protocol"]
    text = next(TEXTS)
    header = protocol.HEADER.pack(
        protocol.MAGIC, protocol.RETURNED, caller.f_locals["index"], len(text), 0
    )
    caller.f_locals["send"](header + text)
    raise RuntimeError("read that")
