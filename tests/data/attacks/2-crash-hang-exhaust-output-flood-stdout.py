# verdict: output-limit
# kind: output flood: prints without end
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    end = time.monotonic() + 30
    while time.monotonic() < end:
        print("all work and no play makes Jack a dull boy " * 20)
