def projection(X, W, bias=None):
    raise NotImplementedError
