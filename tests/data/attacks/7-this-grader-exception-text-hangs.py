# verdict: timeout
# kind: the text of an exception takes for ever
# limits: seconds=0.25
import time


class Evil(Exception):
    def __str__(self):
        time.sleep(30)
        return "done"


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    raise Evil
