def project(X, W, bias=None):
    return X @ W if bias is None else X @ W + bias
