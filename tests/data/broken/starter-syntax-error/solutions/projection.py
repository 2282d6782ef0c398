def project(X, W, bias=None)
    raise NotImplementedError
