# verdict: timeout|memory|fail|error
# kind: a tuple subclass that never stops handing out items
import itertools


class Endless(tuple):
    def __getitem__(self, key):
        return itertools.repeat(0.0)

    def __iter__(self):
        return itertools.repeat(0.0)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return Endless((1.0, 2.0))
