# verdict: timeout
# kind: prints a stack like faulthandler's with hostile paths and names, then hangs
# limits: seconds=0.25
import os
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    os.write(2, b'Current thread 0x0 (most recent call first):\n  File "\x1b[2J/etc/passwd", line 1 in [/red]\n')
    time.sleep(30)
