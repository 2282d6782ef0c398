from grader.model import Misconception


def _no_bias(X, W, bias=None):
    return X @ W


MISCONCEPTIONS = [Misconception("no-bias", violates="bias", implementation=_no_bias)]
