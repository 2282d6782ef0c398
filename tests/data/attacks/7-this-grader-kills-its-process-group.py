# verdict: error|forbidden
# kind: SIGKILL to its process group, in which the grader must not be
import os
import signal


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    if os.getpgrp() != os.getpid():
        os.killpg(0, 0)  # a signal that is none: only whether it might
        print("REACHED the grader's process group", flush=True)
        raise RuntimeError("I could have killed you")
    os.killpg(0, signal.SIGKILL)
