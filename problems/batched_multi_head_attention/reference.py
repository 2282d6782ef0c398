"""What is right: the formulas of the statement, for all items and heads at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def multi_head_attention(
    Q: Array,
    K: Array,
    V: Array,
    W_q: Array,
    W_k: Array,
    W_v: Array,
    W_o: Array,
    num_heads: int,
) -> NDArray[np.float64]:
    """Return multi-head attention of a batch, float64 of shape (batch, query_length, d_model).

    `Q` is (batch, query_length, d_model); `K` and `V` are (batch, key_length, d_model); the
    weights are (d_model, d_model), where d_model is a multiple of `num_heads`. Formulas: Vaswani
    et al., "Attention Is All You Need" (2017), section 3.2. Each row of scores is shifted by its
    maximum, which leaves the softmax as it is and keeps its exponentials at most 1.
    """
    queries = _split(Q @ W_q, num_heads)  # (batch, head, query, width)
    keys = _split(K @ W_k, num_heads)  # (batch, head, key, width)
    values = _split(V @ W_v, num_heads)  # (batch, head, key, width)

    width = queries.shape[-1]
    scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(width)  # (batch, head, query, key)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)

    return _merge(weights @ values) @ W_o


def _split(projected: Array, num_heads: int) -> Array:
    """(batch, length, d_model) -> (batch, head, length, width): neighbouring columns per head."""
    batch, length, d_model = projected.shape
    return projected.reshape(batch, length, num_heads, d_model // num_heads).swapaxes(1, 2)


def _merge(heads: Array) -> Array:
    """(batch, head, length, width) -> (batch, length, d_model): heads side by side, in order."""
    batch, num_heads, length, width = heads.shape
    return heads.swapaxes(1, 2).reshape(batch, length, num_heads * width)
