# verdict: error|timeout
# kind: crashes in every case after a slow import, so that every new child costs the import again
# limits: total_seconds=2
import os
import time

time.sleep(0.8)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    os._exit(0)
