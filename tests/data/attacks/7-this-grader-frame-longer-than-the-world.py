# verdict: error|timeout|output-limit
# kind: announces a payload of 2**63 bytes and waits
import sys
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    caller = sys._getframe(1)
    channel = caller.f_globals["channel"]
    caller.f_locals["send"](
        channel.HEADER.pack(channel.MAGIC, channel.RETURNED, caller.f_locals["index"], 2, 2**63) + b"[]"
    )
    time.sleep(30)
