"""Find patterns in wrong numbers: facts that help a learner without a diagnosis. Pure.

Each pattern is a JSON-able mapping with a `pattern` and, by pattern:

sums        axis, instead     expected sums to 1 along `axis`; actual does not, but along `instead`
factor      factor            actual is expected times one number
transposed  first, second     actual is expected with these two axes exchanged
permuted    axis, order       actual is expected with the slices along `axis` in another order
zeros                         all differences are where exactly 0 is expected
triangle    side              all differences are above (or below) the diagonal of the last axes
only        axis, index       all differences are at one index of `axis`
from        axis, index       no difference before `index` of `axis`, some at each from there on

`axis`, `first`, `second` and `instead` are positions from the front.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Pattern = dict[str, Any]

_LONGEST_AXIS = 64
"""longest axis searched for permutations; a search takes n^2 comparisons of slices"""


def patterns(actual: Array, expected: Array, bad: NDArray[np.bool_], slack: Array) -> list[Pattern]:
    """Return the patterns found, the most specific first.

    All four arrays have the same shape. `actual` and `expected` are real and finite; `bad` marks
    the elements that differ by more than `slack`, at least one.
    """
    return [
        *_sums(actual, expected),
        *_factor(actual, expected, slack),
        *_transposed(actual, expected, slack),
        *_permuted(actual, expected, slack),
        *_places(expected, bad),
    ]


def _sums(actual: Array, expected: Array) -> Iterator[Pattern]:
    def adds_up(array: Array, axis: int) -> bool:
        return bool(np.allclose(array.sum(axis), 1.0, rtol=0, atol=1e-6))

    right = [a for a in range(expected.ndim) if expected.shape[a] > 1 and adds_up(expected, a)]
    # Sums of 1 along several axes (uniform weights) do not show which axis is right.
    if len(right) != 1 or adds_up(actual, right[0]):
        return
    instead = [a for a in range(actual.ndim) if actual.shape[a] > 1 and adds_up(actual, a)]
    yield {"pattern": "sums", "axis": right[0], "instead": instead[0] if instead else None}


def _factor(actual: Array, expected: Array, slack: Array) -> Iterator[Pattern]:
    if np.count_nonzero(np.abs(expected) > slack) < 3:
        return
    largest = np.unravel_index(int(np.argmax(np.abs(expected))), expected.shape)
    factor = float(actual[largest] / expected[largest])
    if factor != 0 and np.all(
        np.abs(actual - factor * expected) <= 2 * slack * max(1, abs(factor))
    ):
        yield {"pattern": "factor", "factor": factor}


def _transposed(actual: Array, expected: Array, slack: Array) -> Iterator[Pattern]:
    for first, second in combinations(range(expected.ndim), 2):
        if expected.shape[first] == expected.shape[second] and np.all(
            np.abs(actual - expected.swapaxes(first, second)) <= 2 * slack.max()
        ):
            yield {"pattern": "transposed", "first": first, "second": second}
            return


def _permuted(actual: Array, expected: Array, slack: Array) -> Iterator[Pattern]:
    for axis, length in enumerate(expected.shape):
        if not 2 <= length <= _LONGEST_AXIS or expected.size == length:
            continue
        ours = np.moveaxis(actual, axis, 0).reshape(length, -1)
        theirs = np.moveaxis(expected, axis, 0).reshape(length, -1)
        order: list[int] = []
        for row in ours:
            close = (np.abs(theirs - row) <= 2 * slack.max()).all(1)
            match = [int(i) for i in np.flatnonzero(close) if int(i) not in order]
            if not match:
                break
            order.append(match[0])
        if len(order) == length and order != sorted(order):
            yield {"pattern": "permuted", "axis": axis, "order": order}
            return


def _places(expected: Array, bad: NDArray[np.bool_]) -> Iterator[Pattern]:
    if bad.all():
        return
    if not np.any(expected[bad]):
        yield {"pattern": "zeros"}
    if expected.ndim >= 2 and expected.shape[-1] == expected.shape[-2]:
        for side, triangle in (("above", np.triu), ("below", np.tril)):
            offset = 1 if side == "above" else -1
            inside = triangle(np.ones(expected.shape[-2:], dtype=bool), offset)
            if not (bad & ~inside).any():
                yield {"pattern": "triangle", "side": side}
    for axis, length in enumerate(expected.shape):
        others = tuple(a for a in range(expected.ndim) if a != axis)
        where = np.flatnonzero(bad.any(axis=others))
        if length > 1 and len(where) == 1:
            yield {"pattern": "only", "axis": axis, "index": int(where[0])}
        elif where[0] > 0 and len(where) == length - where[0]:
            yield {"pattern": "from", "axis": axis, "index": int(where[0])}
