def project(X, W, bias=None, scale=1.0):
    output = X @ W * scale
    return output if bias is None else output + bias
