# verdict: forbidden|error
# kind: signal the grader: SIGTERM to every process that it may signal
# only: zygote
import os
import signal


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    os.kill(-1, signal.SIGTERM)
    print("REACHED everyone", flush=True)
    raise RuntimeError("alone in the world")
