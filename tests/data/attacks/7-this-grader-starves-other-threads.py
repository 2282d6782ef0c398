# verdict: timeout
# kind: a switch interval of an hour, so that no watchdog thread of the worker gets its turn
# limits: seconds=0.25
import sys
import time

sys.setswitchinterval(3600)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        pass
