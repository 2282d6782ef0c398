# verdict: fail|error
# kind: object dtype: object arrays whose elements compare equal to everything
import numpy as np


class Equal:
    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0

    __rsub__ = __sub__


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    n = len(X)
    return np.full(X.shape, Equal()), np.full((num_heads, n, n), Equal())
