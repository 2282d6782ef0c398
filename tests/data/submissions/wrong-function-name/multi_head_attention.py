import numpy as np


class MultiHeadAttention:
    def __init__(self, num_heads):
        self.num_heads = num_heads

    def __call__(self, X, mask=None):
        return X


def mha(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return X, np.zeros((num_heads, len(X), len(X)))
