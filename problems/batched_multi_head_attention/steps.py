"""Multi-head attention in small steps, each of which a wrong idea can replace.

`variant()` is right; `variant(scale=...)` is right but for its scale. The arrays between the
steps: queries, keys and values are (batch, head, length, width), scores and weights are
(batch, head, query, key), the context is (batch, head, query, width).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Implementation = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The lengths from which a divisor may be taken."""

    heads: int
    width: int
    """columns of one head"""
    model: int
    keys: int


def project(
    Q: Array, K: Array, V: Array, W_q: Array, W_k: Array, W_v: Array
) -> tuple[Array, Array, Array]:
    """Return the projected inputs, (batch, length, d_model) each."""
    return Q @ W_q, K @ W_k, V @ W_v


def split(x: Array, heads: int) -> Array:
    """(batch, length, d_model) -> (batch, head, length, width)."""
    return cut(x, heads).swapaxes(1, 2)


def cut(x: Array, heads: int) -> Array:
    """(batch, length, d_model) -> (batch, length, head, width): the first half of `split`."""
    batch, length, model = x.shape
    return x.reshape(batch, length, heads, model // heads)


def score(queries: Array, keys: Array) -> Array:
    """Return the scores of every query with every key of its head."""
    return queries @ keys.swapaxes(-1, -2)


def scale(scores: Array, sizes: Sizes) -> Array:
    """Return the scores divided by the root of a head's width."""
    return scores / sqrt(sizes.width)


def softmax(scores: Array, axis: int | tuple[int, ...] = -1) -> Array:
    """Return positive weights that add up to 1 over `axis`."""
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def mix(weights: Array, values: Array) -> Array:
    """Return the context: each query's weighted sum of the values."""
    return weights @ values


def merge(context: Array) -> Array:
    """(batch, head, query, width) -> (batch, query, d_model)."""
    return flatten(context.swapaxes(1, 2))


def flatten(x: Array) -> Array:
    """Join the last two axes of four: the second half of `merge`."""
    return x.reshape(*x.shape[:2], x.shape[2] * x.shape[3])


def output(merged: Array, W_o: Array, Q: Array, K: Array) -> Array:
    """Return the answer; `Q` and `K` are for mistakes that take something from them."""
    return merged @ W_o


def columns(head: int, heads: int, model: int) -> slice:
    """Return the columns that belong to one head."""
    width = model // heads
    return slice(head * width, (head + 1) * width)


def head_by_head(
    project_one: Callable[[Array, Array, slice], Array],
) -> Callable[..., tuple[Array, ...]]:
    """Return a `prepare` that gets each head's queries, keys and values from the full inputs."""

    def prepare(inputs: Sequence[Array], weights: Sequence[Array], heads: int) -> Any:
        parts = [columns(head, heads, inputs[0].shape[-1]) for head in range(heads)]
        return tuple(
            np.stack([project_one(x, W, part) for part in parts], axis=1)
            for x, W in zip(inputs, weights, strict=True)
        )

    return prepare


def variant(
    *,
    count: Callable[[int], int] = lambda num_heads: num_heads,
    project: Callable[..., Sequence[Array]] = project,
    split: Callable[[Array, int], Array] = split,
    prepare: Callable[..., Sequence[Array]] | None = None,
    score: Callable[[Array, Array], Array] = score,
    scale: Callable[[Array, Sizes], Array] = scale,
    softmax: Callable[[Array], Array] = softmax,
    mix: Callable[[Array, Array], Array] = mix,
    merge: Callable[[Array], Array] = merge,
    output: Callable[..., Any] = output,
) -> Implementation:
    """Return an implementation of the exercise with some of its steps replaced.

    `prepare(inputs, weights, heads)` stands for `project` and `split` together.
    """

    def multi_head_attention(
        Q: Array,
        K: Array,
        V: Array,
        W_q: Array,
        W_k: Array,
        W_v: Array,
        W_o: Array,
        num_heads: int,
    ) -> Any:
        heads = count(num_heads)
        if prepare:
            queries, keys, values = prepare((Q, K, V), (W_q, W_k, W_v), heads)
        else:
            queries, keys, values = (split(x, heads) for x in project(Q, K, V, W_q, W_k, W_v))
        sizes = Sizes(heads, Q.shape[-1] // heads, Q.shape[-1], keys.shape[-2])
        weights = softmax(scale(score(queries, keys), sizes))
        return output(merge(mix(weights, values)), W_o, Q, K)

    return multi_head_attention


def given(change: Callable[[Array, Array, Array], Sequence[Array]]) -> Implementation:
    """Return the right implementation, but on changed Q, K and V."""
    right = variant()
    return lambda Q, K, V, *others: right(*change(Q, K, V), *others)


def returning(change: Callable[[Array], Any]) -> Implementation:
    """Return the right implementation, but with a changed answer."""
    right = variant()
    return lambda *arguments: change(right(*arguments))
