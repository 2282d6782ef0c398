def project(X, W, bias=None):
    return X @ W +
