# verdict: timeout|error
# kind: protocol stall: writes half a frame header to every descriptor and sleeps
import os
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"\x01\x00\x00")
        except OSError:
            pass
    time.sleep(30)
