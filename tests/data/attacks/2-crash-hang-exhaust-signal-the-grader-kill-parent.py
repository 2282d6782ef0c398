# verdict: forbidden|error
# kind: signal the grader: SIGKILL to the parent process
# only: zygote
import os
import signal


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    os.kill(os.getppid(), signal.SIGKILL)
    print("REACHED the parent", flush=True)
    raise RuntimeError("an orphan")
