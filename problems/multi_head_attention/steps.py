"""Multi-head attention as ten right steps, each of which a misconception may replace.

`variant(scale=...)` is the whole computation with that step replaced. A step gets the result of
the step before it and `at`, the arguments of the call. Shapes: Q, K, V and concat (n, d_model);
split and heads (num_heads, n, d_head); scores and weights (num_heads, n, n).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class At(NamedTuple):
    """The arguments of one call, and the lengths in it."""

    X: Any
    W_q: Any
    W_k: Any
    W_v: Any
    W_o: Any
    num_heads: int
    mask: Any

    @property
    def n(self) -> int:
        return self.X.shape[0]

    @property
    def d_model(self) -> int:
        return self.X.shape[1]

    @property
    def d_head(self) -> int:
        return self.d_model // self.num_heads

    def columns(self, head: int) -> slice:
        return slice(head * self.d_head, (head + 1) * self.d_head)


def project(at):
    return at.X @ at.W_q, at.X @ at.W_k, at.X @ at.W_v


def split(A, at):
    return A.reshape(at.n, at.num_heads, at.d_head).transpose(1, 0, 2)


def score(Q, K, at):
    return Q @ K.transpose(0, 2, 1)


def scale(scores, at):
    return scores / np.sqrt(at.d_head)


def block(scores, at):
    return scores if at.mask is None else np.where(at.mask, scores, -np.inf)


def softmax(scores, at=None, axis=-1):
    exponentials = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


def mix(weights, V, at):
    return weights @ V


def merge(heads, at):
    return heads.transpose(1, 0, 2).reshape(at.n, at.d_model)


def output(concat, at):
    return concat @ at.W_o


def answer(output, weights, at):
    return output, weights


def keep(value, *_):
    """Return the value unchanged, as a step that is left out."""
    return value


RIGHT: dict[str, Callable[..., Any]] = {
    step.__name__: step
    for step in (project, split, score, scale, block, softmax, mix, merge, output, answer)
}


def variant(**replaced):
    """Return multi-head attention with the named steps replaced."""
    unknown = replaced.keys() - RIGHT.keys()
    if unknown:
        raise TypeError(f"no such step: {', '.join(sorted(unknown))}")
    do = {**RIGHT, **replaced}

    def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
        at = At(X, W_q, W_k, W_v, W_o, num_heads, mask)
        Q, K, V = (do["split"](A, at) for A in do["project"](at))
        scores = do["block"](do["scale"](do["score"](Q, K, at), at), at)
        weights = do["softmax"](scores, at)
        concat = do["merge"](do["mix"](weights, V, at), at)
        return do["answer"](do["output"](concat, at), weights, at)

    return multi_head_attention


def with_num_heads(number):
    """Return multi-head attention with `number` heads, whatever the argument says."""
    right = variant()

    def multi_head_attention(X, W_q, W_k, W_v, W_o, num_heads, mask=None):
        return right(X, W_q, W_k, W_v, W_o, number, mask)

    return multi_head_attention
