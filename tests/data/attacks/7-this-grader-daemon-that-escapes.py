# verdict: forbidden|error
# kind: a double fork in a session of its own that outlives the grading (for 1 s, and leaves a file)
# wait: 1.3
import os
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(1)
            open("/tmp/grader-attack-canary/drop/escaped", "w").close()
        os._exit(0)
    raise RuntimeError("my daemon stays")
