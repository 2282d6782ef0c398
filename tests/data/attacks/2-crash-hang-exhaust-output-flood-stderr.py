# verdict: output-limit
# kind: output flood: writes to stderr without end, unbuffered
import os
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        os.write(2, b"lorem ipsum " * 200)
