# verdict: fail|error
# kind: the class of the returned object raises or lies when it is asked for its name
class Shy(type):
    @property
    def __module__(cls):
        raise KeyboardInterrupt

    @property
    def __qualname__(cls):
        raise SystemExit(0)

    def __instancecheck__(cls, thing):
        return True


class Evil(metaclass=Shy):
    @property
    def __class__(self):
        import numpy

        return numpy.ndarray


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return Evil(), Evil()
