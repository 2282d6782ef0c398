# verdict: error|memory
# kind: recursion: raises the recursion limit and overflows the C stack
import sys


class Mirror:
    def __repr__(self):
        return repr(self)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    sys.setrecursionlimit(10**9)
    return repr(Mirror())
