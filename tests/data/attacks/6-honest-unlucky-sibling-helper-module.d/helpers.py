import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def split_heads(x, num_heads):
    n, d_model = x.shape
    return x.reshape(n, num_heads, d_model // num_heads).swapaxes(0, 1)
