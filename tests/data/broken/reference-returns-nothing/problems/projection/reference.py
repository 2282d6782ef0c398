def project(X, W, bias=None):
    X @ W
