# verdict: forbidden|error
# kind: SIGSTOP to the parent, so that the next submission waits for ever
# only: zygote
import os
import signal


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    os.kill(os.getppid(), signal.SIGSTOP)
    print("REACHED the parent", flush=True)
    raise RuntimeError("nobody stopped me")
