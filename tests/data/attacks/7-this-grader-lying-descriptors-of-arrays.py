# verdict: fail|error
# kind: returns arrays of a subclass with a forged shape, dtype and size by ctypes and by properties
import ctypes

import numpy as np


class Property:
    def __init__(self, value):
        self.value = value

    def __get__(self, _instance, _owner=None):
        return self.value


class Liar(np.ndarray):
    dtype = Property(np.dtype("float64"))
    size = Property(0)
    nbytes = Property(0)
    ndim = Property(2)


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    output = np.zeros(X.shape, np.float32).view(Liar)
    shape = np.zeros((num_heads, len(X), len(X)))
    # The number of axes is the first field after the pointer to the data.
    field = ctypes.c_int.from_address(id(shape) + object.__basicsize__ + ctypes.sizeof(ctypes.c_void_p))
    assert field.value == 3
    field.value = 2
    answer = output, shape.copy()
    field.value = 3
    return answer
