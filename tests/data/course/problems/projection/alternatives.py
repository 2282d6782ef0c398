"""Other right implementations of the small course."""

import numpy as np

from grader.model import Alternative


def _loops(X, W, bias=None):
    start = np.zeros(W.shape[1]) if bias is None else bias
    return [[start[j] + sum(x * w for x, w in zip(row, W[:, j])) for j in range(W.shape[1])]
            for row in X]


ALTERNATIVES = [Alternative("loops", _loops)]
