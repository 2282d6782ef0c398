# verdict: error|fail
# kind: dynamic attribute: a sys.modules swap and a property make the function differ at every look-up
import itertools
import sys
import types

import numpy as np


def zeros(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return np.zeros(X.shape), np.zeros((num_heads, len(X), len(X)))


def echo(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
    return X, X


class Shifty(types.ModuleType):
    turns = itertools.cycle([zeros, echo])

    @property
    def multi_head_attention(self):
        return next(self.turns)


def __getattr__(name):
    if name == "multi_head_attention":
        return zeros
    raise AttributeError(name)


sys.modules[__name__] = Shifty(__name__)
