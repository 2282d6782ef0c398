# verdict: error|timeout|output-limit
# kind: announces a payload of 2**63 bytes and waits
import sys
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    caller = sys._getframe(1)
    while "send" not in caller.f_locals:
        caller = caller.f_back
    protocol = caller.f_globals["protocol"]
    caller.f_locals["send"](
        protocol.HEADER.pack(protocol.MAGIC, protocol.RETURNED, caller.f_locals["index"], 2, 2**63) + b"[]"
    )
    time.sleep(30)
