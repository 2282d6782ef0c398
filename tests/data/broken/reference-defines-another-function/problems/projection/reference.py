def projection(X, W, bias=None):
    return X @ W
