# verdict: timeout
# kind: stops every clock of the process, then sleeps past the limit
# limits: seconds=0.25
import time

real_sleep = time.sleep
for name in ("time", "monotonic", "perf_counter", "process_time"):
    setattr(time, name, lambda: 0.0)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    real_sleep(30)
