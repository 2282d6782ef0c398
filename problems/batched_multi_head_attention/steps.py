"""Multi-head attention as nine right steps, each of which a misconception may replace.

`variant(scale=...)` is the whole computation with that step replaced. A step gets the result of
the step before it and `at`, the arguments of the call. Shapes: Q, K, V and concat
(batch, length, d_model); split and heads (batch, num_heads, length, d_head); scores and weights
(batch, num_heads, query, key).
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, NamedTuple

import numpy as np


class At(NamedTuple):
    """The arguments of one call, and the lengths in it."""

    Q: Any
    K: Any
    V: Any
    W_q: Any
    W_k: Any
    W_v: Any
    W_o: Any
    num_heads: int

    @property
    def d_model(self) -> int:
        return self.Q.shape[-1]

    @property
    def d_head(self) -> int:
        return self.d_model // self.num_heads

    def columns(self, head: int) -> slice:
        return slice(head * self.d_head, (head + 1) * self.d_head)


def project(at):
    return at.Q @ at.W_q, at.K @ at.W_k, at.V @ at.W_v


def split(A, at):
    return cut(A, at.num_heads).swapaxes(1, 2)


def cut(A, num_heads):
    """(batch, length, d_model) to (batch, length, num_heads, d_head): half of `split`."""
    batch, length, d_model = A.shape
    return A.reshape(batch, length, num_heads, d_model // num_heads)


def score(Q, K, at=None):
    return Q @ K.swapaxes(-1, -2)


def scale(scores, at):
    return scores / sqrt(at.d_head)  # a Python float: float32 scores stay float32


def softmax(scores, at=None, axis=-1):
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def mix(weights, V, at):
    return weights @ V


def merge(heads, at=None):
    return flatten(heads.swapaxes(1, 2))


def flatten(A):
    """(batch, length, num_heads, d_head) to (batch, length, d_model): half of `merge`."""
    batch, length, num_heads, d_head = A.shape
    return A.reshape(batch, length, num_heads * d_head)


def output(concat, at):
    return concat @ at.W_o


def answer(output, weights, at):
    return output


def keep(value, *_):
    """Return the value unchanged, as a step that is left out."""
    return value


RIGHT: dict[str, Callable[..., Any]] = {
    step.__name__: step
    for step in (project, split, score, scale, softmax, mix, merge, output, answer)
}


def variant(**replaced):
    """Return multi-head attention with the named steps replaced."""
    unknown = replaced.keys() - RIGHT.keys()
    if unknown:
        raise TypeError(f"no such step: {', '.join(sorted(unknown))}")
    do = {**RIGHT, **replaced}

    def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
        at = At(Q, K, V, W_q, W_k, W_v, W_o, num_heads)
        queries, keys, values = (do["split"](A, at) for A in do["project"](at))
        scores = do["scale"](do["score"](queries, keys, at), at)
        weights = do["softmax"](scores, at)
        concat = do["merge"](do["mix"](weights, values, at), at)
        return do["answer"](do["output"](concat, at), weights, at)

    return multi_head_attention


def with_num_heads(number):
    """Return multi-head attention with `number` heads, whatever the argument says."""
    right = variant()

    def multi_head_attention(Q, K, V, W_q, W_k, W_v, W_o, num_heads):
        return right(Q, K, V, W_q, W_k, W_v, W_o, number)

    return multi_head_attention


def given(change):
    """Return multi-head attention of `change(Q, K, V)` in place of Q, K and V."""
    right = variant()

    def multi_head_attention(Q, K, V, *others):
        return right(*change(Q, K, V), *others)

    return multi_head_attention
