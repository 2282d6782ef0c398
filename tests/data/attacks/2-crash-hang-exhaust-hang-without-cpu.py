# verdict: timeout
# kind: hang without CPU: sleeps, so a limit on CPU time never fires
# limits: seconds=0.25
import time


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    time.sleep(30)
