# verdict: timeout
# kind: hang, ignores exceptions: a loop that swallows KeyboardInterrupt and alarm handlers
# limits: seconds=0.25
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            while time.monotonic() < end:
                pass
        except BaseException:
            pass
