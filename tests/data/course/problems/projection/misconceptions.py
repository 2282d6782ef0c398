"""Wrong ideas of the small course."""

from grader.model import Misconception


def _elementwise_where_it_fits(X, W, bias=None):
    output = X * W if X.shape == W.shape else X @ W
    return output if bias is None else output + bias


def _no_bias(X, W, bias=None):
    return X @ W


MISCONCEPTIONS = [
    Misconception(
        "elementwise",
        violates="product",
        hint="The operator * multiplies element by element; @ multiplies matrices.",
        implementation=_elementwise_where_it_fits,
    ),
    Misconception(
        "no-bias",
        violates="bias",
        hint="The bias never enters your result.",
        implementation=_no_bias,
    ),
]
