# verdict: fail|error
# kind: a tuple subclass whose length, items and slices differ at every look
import itertools

import numpy as np

lengths = itertools.cycle([2, 0, 10**9, 1])


class Liar(tuple):
    def __len__(self):
        return next(lengths)

    def __getitem__(self, key):
        return Liar((np.zeros(1), "text"))

    def __iter__(self):
        return iter([None, self, None])


def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return Liar((np.zeros(X.shape), np.zeros((num_heads, 1, 1))))
