"""Multi-head attention of one sequence, as in Vaswani et al. 2017, section 3.2."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def multi_head_attention(
    X: ArrayLike,
    W_q: ArrayLike,
    W_k: ArrayLike,
    W_v: ArrayLike,
    W_o: ArrayLike,
    num_heads: int,
    mask: ArrayLike | None = None,
) -> tuple[Floats, Floats]:
    """Return the attended tokens and every head's attention matrix, both float64.

    X is (n, d_model), one token a row; W_q, W_k, W_v and W_o are (d_model, d_model); num_heads
    divides d_model. mask is None or booleans that broadcast to (n, n), the same for every head:
    mask[i, j] False keeps query i from key j. A query that may see no key is undefined.

    Returns output (n, d_model) and weights (num_heads, n, n), whose rows add up to 1.
    """
    Q, K, V = (_split(_floats(X) @ _floats(W), num_heads) for W in (W_q, W_k, W_v))
    d_head = Q.shape[-1]
    scores = Q @ K.transpose(0, 2, 1) / np.sqrt(d_head)  # (num_heads, n, n)
    if mask is not None:
        scores = np.where(np.asarray(mask, dtype=bool), scores, -np.inf)
    weights = _softmax(scores)
    return _concatenate(weights @ V) @ _floats(W_o), weights


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, dtype=np.float64)


def _split(projected: Floats, num_heads: int) -> Floats:
    """(n, d_model) to (num_heads, n, d_head): head h gets its own contiguous columns."""
    n, d_model = projected.shape
    return projected.reshape(n, num_heads, d_model // num_heads).transpose(1, 0, 2)


def _softmax(scores: Floats) -> Floats:
    """Softmax over the last axis; subtracting each row's maximum keeps exp below overflow."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _concatenate(heads: Floats) -> Floats:
    """(num_heads, n, d_head) to (n, d_model): the heads side by side, in head order."""
    num_heads, n, d_head = heads.shape
    return heads.transpose(1, 0, 2).reshape(n, num_heads * d_head)
