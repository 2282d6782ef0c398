"""All recipes, one function each; to add a recipe, write its function here.

Random recipes use `numpy.random.RandomState`, whose streams NumPy promises never to change
(NEP 19), so a case has the same numbers in every version.
"""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from grader.recipes.definition import Check, Seed, Shape, recipe
from grader.recipes.literals import Complaints
from grader.recipes.reading import Nested

Array = NDArray[Any]

# --- checks of parameters ------------------------------------------------------------------------

_LARGEST = 1e100
"""random numbers scaled by a larger one could overflow"""


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) <= _LARGEST


def _is_fill(value: Any) -> bool:
    return isinstance(value, bool | float) or (_is_whole(value) and -(2**63) <= value < 2**63)


def _is_size(value: Any) -> bool:
    return _is_whole(value) and 0 <= value < 2**31


def _is_shape(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= 8 and all(map(_is_size, value))


_Size = Annotated[int, Check(_is_size, "a whole number, 0 or more")]
_Lengths = Annotated[list[int], Check(_is_shape, "a list of at most 8 whole numbers, 0 or more")]
_SeedOf = Annotated[int, Seed(_is_size, "a whole number from 0 to 2147483647")]
_Number = Annotated[float, Check(_is_number, "a finite number of at most 1e100")]
_Bound = Annotated[int, Check(_is_number, "a finite number of at most 1e100")]
_Decimals = Annotated[
    int | None, Check(lambda v: _is_whole(v) and 0 <= v <= 15, "a whole number from 0 to 15")
]
_Fill = Annotated[float, Check(_is_fill, "a number of at most 64 bits or a boolean")]
_Axis = Annotated[int, Check(_is_whole, "a whole number")]
_Times = Annotated[
    int, Check(lambda v: _is_whole(v) and 1 <= v <= 1000, "a whole number from 1 to 1000")
]
_Axes = Annotated[Array, Nested(bool, "a recipe of an array with at least one axis")]

# --- shapes and joint checks ---------------------------------------------------------------------


def _square(size: int, **_: Any) -> Shape:
    return (size, size)


def _given(shape: list[int], **_: Any) -> Shape:
    return tuple(shape)


def _longer(of: Shape, axis: int, times: int) -> Shape:
    axis %= len(of)
    return (*of[:axis], of[axis] * times, *of[axis + 1 :])


def _has_axis(of: Shape, axis: int, **_: Any) -> Complaints:
    if not -len(of) <= axis < len(of):
        yield ("axis",), f"axis {axis} is not an axis of the shape {of}"


def _low_first(low: float, high: float, **_: Any) -> Complaints:
    if low > high:
        yield (), f"'low' ({low}) is above 'high' ({high})"


def _whole_low_first(low: float, high: float, **_: Any) -> Complaints:
    if all(_is_whole(v) and -(2**63) <= v < 2**63 - 1 for v in (low, high)):
        yield from _low_first(low, high)
    else:
        yield (), "'low' and 'high' of integers are whole numbers of 64 bits"


# --- the recipes ---------------------------------------------------------------------------------

_RANDOM = np.random.RandomState(0)


def _seeded(seed: int) -> np.random.RandomState:
    """Return the seeded generator; creating a new one would take twenty times as long."""
    _RANDOM.seed(seed)
    return _RANDOM


def _scaled(drawn: Any, scale: float, decimals: int | None) -> Array:
    scaled = np.asarray(drawn) * scale
    return np.asarray(scaled if decimals is None else scaled.round(decimals))


@recipe("eye", short="size", shape=_square)
def _eye(size: _Size, scale: _Number = 1.0) -> Array:
    return np.eye(size) * scale


@recipe("zeros", short="shape", shape=_given)
def _zeros(shape: _Lengths) -> Array:
    return np.zeros(shape)


@recipe("ones", short="shape", shape=_given)
def _ones(shape: _Lengths) -> Array:
    return np.ones(shape)


@recipe("full", shape=_given)
def _full(shape: _Lengths, value: _Fill) -> Array:
    return np.full(shape, value)


@recipe("tril", short="size", shape=_square)
def _tril(size: _Size) -> Array:
    return np.tril(np.ones((size, size), dtype=bool))


@recipe("normal", shape=_given)
def _normal(
    shape: _Lengths, seed: _SeedOf, scale: _Number = 1.0, decimals: _Decimals = None
) -> Array:
    return _scaled(_seeded(seed).standard_normal(shape), scale, decimals)


@recipe("uniform", shape=_given, joint_check=_low_first)
def _uniform(
    shape: _Lengths,
    seed: _SeedOf,
    low: _Number = 0.0,
    high: _Number = 1.0,
    scale: _Number = 1.0,
    decimals: _Decimals = None,
) -> Array:
    return _scaled(_seeded(seed).uniform(low, high, shape), scale, decimals)


@recipe("integers", shape=_given, joint_check=_whole_low_first)
def _integers(shape: _Lengths, seed: _SeedOf, low: _Bound, high: _Bound) -> Array:
    """Return whole numbers from `low` to `high`, both included, as int64."""
    return np.asarray(_seeded(seed).randint(low, high + 1, shape, dtype=np.int64))


@recipe("tile", shape=_longer, joint_check=_has_axis)
def _tile(of: _Axes, axis: _Axis, times: _Times) -> Array:
    """Return copies of an array joined along an axis."""
    return np.concatenate([of] * times, axis)
