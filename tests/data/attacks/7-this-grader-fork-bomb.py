# verdict: forbidden|error
# kind: a fork bomb (here 50 processes that end after a second)
import os
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    for _ in range(50):
        if os.fork() == 0:
            time.sleep(1)
            os._exit(0)
    print("REACHED 50 processes", flush=True)
    raise RuntimeError("nobody stopped me")
