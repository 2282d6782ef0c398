def project(X, W, bias=None, scale=1.0):
    raise NotImplementedError
