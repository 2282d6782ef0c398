# verdict: fail|error
# kind: an ndarray subclass that lies about its shape, dtype, size and bytes
import numpy as np


class Liar(np.ndarray):
    nbytes = property(lambda self: -(10**9))
    ndim = property(lambda self: 2)
    size = property(lambda self: 4)

    def astype(self, *args, **options):
        return self

    def tobytes(self, *args):
        return b"GRD1" * 1000

    def __array_finalize__(self, parent):
        self.__dict__["shape"] = (2, 2)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    return np.zeros(3).view(Liar), np.zeros((num_heads, n, n)).view(Liar)
