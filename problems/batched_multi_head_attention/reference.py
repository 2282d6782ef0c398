"""Multi-head attention of a batch, as in Vaswani et al. 2017, section 3.2."""

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
    matrices are (d_model, d_model), where `num_heads` divides d_model.
    """
    queries = _split(Q @ W_q, num_heads)  # (batch, num_heads, query_length, d_head)
    keys = _split(K @ W_k, num_heads)  # (batch, num_heads, key_length, d_head)
    values = _split(V @ W_v, num_heads)  # (batch, num_heads, key_length, d_head)
    d_head = queries.shape[-1]
    scores = queries @ keys.swapaxes(-1, -2) / np.sqrt(d_head)
    weights = _softmax(scores)  # (batch, num_heads, query_length, key_length)
    return _concatenate(weights @ values) @ W_o


def _split(projected: Array, num_heads: int) -> Array:
    """(batch, length, d_model) to (batch, num_heads, length, d_head), each contiguous columns."""
    batch, length, d_model = projected.shape
    return projected.reshape(batch, length, num_heads, d_model // num_heads).swapaxes(1, 2)


def _softmax(scores: Array) -> Array:
    """Softmax over the last axis; subtracting each row's maximum keeps exp below overflow."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def _concatenate(heads: Array) -> Array:
    """(batch, num_heads, length, d_head) to (batch, length, d_model), in head order."""
    batch, num_heads, length, d_head = heads.shape
    return heads.swapaxes(1, 2).reshape(batch, length, num_heads * d_head)
