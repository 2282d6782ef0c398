import numpy as np

SCALE = np.undefined


def project(X, W, bias=None):
    return X @ W
