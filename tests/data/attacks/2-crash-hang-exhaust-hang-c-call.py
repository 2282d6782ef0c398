# verdict: timeout
# kind: hang: one very long C call that never checks signals
# limits: seconds=0.25
import itertools


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return max(itertools.repeat(0, 3 * 10**9))
