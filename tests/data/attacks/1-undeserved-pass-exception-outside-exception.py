# verdict: error
# kind: exception outside Exception: KeyboardInterrupt, GeneratorExit, SystemExit(0) and a BaseException of its own
import itertools


class Slippery(BaseException):
    pass


ways_out = itertools.cycle([KeyboardInterrupt, GeneratorExit, Slippery, SystemExit])


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    raise next(ways_out)(0)
