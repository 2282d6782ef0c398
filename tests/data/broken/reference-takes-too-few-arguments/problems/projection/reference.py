def project(X, W):
    return X @ W
