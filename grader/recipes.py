"""Recipes: plain YAML values that say how to build one argument.

A literal stands for itself: a number, a boolean, null or text as the Python value; nested lists
as `numpy.array` of them (all whole numbers give int64, any decimal point gives float64, booleans
give bool). A mapping with one key names a recipe of `RECIPES`; its value is a mapping of
parameters, or the one parameter that the recipe's `short` names.

Drawn recipes use `numpy.random.RandomState`, whose streams NumPy promises never to change
(NEP 19), so a case means the same numbers in every version.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.errors import nearest

Array = NDArray[Any]

MOST_ELEMENTS = 10_000_000
"""80 MB of float64: larger arguments are a slip of the keyboard, not a case."""


@dataclass(frozen=True, slots=True)
class Builder:
    """One recipe: what builds it, and the parameter that a bare value stands for."""

    build: Callable[..., Any]
    short: str = ""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters, required ones first."""
        code = self.build.__code__
        return code.co_varnames[: code.co_argcount]

    @property
    def required(self) -> tuple[str, ...]:
        """Names of the parameters that have no default."""
        return self.parameters[: len(self.parameters) - len(self.build.__defaults__ or ())]


_RANDOM = np.random.RandomState(0)


def _drawing(seed: int) -> np.random.RandomState:
    """Return the generator, seeded: making a new one costs twenty times as much."""
    _RANDOM.seed(seed)
    return _RANDOM


def _eye(size: int, scale: float = 1.0) -> Array:
    return np.eye(size) * scale


def _zeros(shape: tuple[int, ...]) -> Array:
    return np.zeros(shape)


def _ones(shape: tuple[int, ...]) -> Array:
    return np.ones(shape)


def _full(shape: tuple[int, ...], value: Any) -> Array:
    return np.full(shape, value)


def _tril(size: int) -> Array:
    return np.tril(np.ones((size, size), dtype=bool))


def _normal(
    shape: tuple[int, ...], seed: int, scale: float = 1.0, decimals: int | None = None
) -> Array:
    drawn = np.asarray(_drawing(seed).standard_normal(shape))
    return _scaled(drawn, scale, decimals)


def _uniform(
    shape: tuple[int, ...],
    seed: int,
    low: float = 0.0,
    high: float = 1.0,
    scale: float = 1.0,
    decimals: int | None = None,
) -> Array:
    drawn = np.asarray(_drawing(seed).uniform(low, high, shape))
    return _scaled(drawn, scale, decimals)


def _integers(shape: tuple[int, ...], seed: int, low: int, high: int) -> Array:
    """Whole numbers from low to high, both included."""
    return np.asarray(_drawing(seed).randint(low, high + 1, shape, dtype=np.int64))


def _tile(of: Array, axis: int, times: int) -> Array:
    """Copies of an array joined along an axis."""
    return np.concatenate([of] * times, axis)


def _scaled(array: Array, scale: float, decimals: int | None) -> Array:
    scaled = array * scale
    return np.asarray(scaled if decimals is None else scaled.round(decimals))


RECIPES: dict[str, Builder] = {
    "eye": Builder(_eye, short="size"),
    "zeros": Builder(_zeros, short="shape"),
    "ones": Builder(_ones, short="shape"),
    "full": Builder(_full),
    "tril": Builder(_tril, short="size"),
    "normal": Builder(_normal),
    "uniform": Builder(_uniform),
    "integers": Builder(_integers),
    "tile": Builder(_tile),
}
SAME = "same"
"""`{same: X}` is the very array object of argument X."""


def build(arguments: Mapping[str, Any], reseed: int = 0) -> dict[str, Any]:
    """Return fresh arguments by name; every seed is shifted by `reseed`.

    The recipes must have passed `complaints`.
    """
    built = {
        name: _build(recipe, reseed)
        for name, recipe in arguments.items()
        if not _names_another(recipe)
    }
    return {
        name: built[recipe[SAME]] if _names_another(recipe) else built[name]
        for name, recipe in arguments.items()
    }


def shape_of(recipe: Any, arguments: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return the shape that a sound recipe builds, without drawing; None for what has none."""
    if isinstance(recipe, list):
        return np.shape(recipe)
    if not isinstance(recipe, dict):
        return None
    name, given = _parameters(recipe)
    if name == SAME:
        return shape_of(arguments[given[SAME]], arguments)
    if name == "tile":
        inner = shape_of(given["of"], arguments)
        if inner is None:
            return None
        axis = given["axis"] % len(inner)
        return (*inner[:axis], inner[axis] * given["times"], *inner[axis + 1 :])
    if "size" in given:
        return (given["size"], given["size"])
    return tuple(given["shape"])


def complaints(recipe: Any, names: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Yield (path inside the recipe, message) for everything that is wrong with it.

    `names` are the case's other arguments, which `same` may name.
    """
    if isinstance(recipe, list):
        yield from _literal_complaints(recipe)
    elif isinstance(recipe, dict):
        yield from _mapping_complaints(recipe, names)


def _build(recipe: Any, reseed: int) -> Any:
    if isinstance(recipe, list):
        return np.array(recipe)
    if not isinstance(recipe, dict):
        return recipe
    name, given = _parameters(recipe)
    given = dict(given)
    if "seed" in given:
        given["seed"] += reseed
    if "of" in given:
        given["of"] = _build(given["of"], reseed)
    return RECIPES[name].build(**given)


def _names_another(recipe: Any) -> bool:
    return isinstance(recipe, dict) and SAME in recipe


def _parameters(recipe: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the recipe's name and its parameters by name, a bare value spelt out."""
    ((name, given),) = recipe.items()
    if name == SAME:
        return name, {SAME: given}
    if isinstance(given, dict):
        return name, given
    return name, {RECIPES[name].short: given}


def _literal_complaints(recipe: list[Any]) -> Iterator[tuple[tuple[Any, ...], str]]:
    def leaves(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from leaves(item, (*path, index))
        else:
            yield path, value

    kinds = set()
    for path, leaf in leaves(recipe, ()):
        if isinstance(leaf, bool):
            kinds.add("booleans")
        elif isinstance(leaf, int | float):
            kinds.add("numbers")
            if isinstance(leaf, int) and abs(leaf) >= 2**63:
                yield path, f"{leaf} does not fit a 64-bit integer"
        else:
            yield path, f"an array holds numbers or booleans, not {_described(leaf)}"
            return
    if len(kinds) == 2:
        yield (), "an array holds either numbers or booleans, not both"
    ragged = _ragged(recipe)
    if ragged is not None:
        yield ragged, "the rows of an array must have the same length"


def _ragged(rows: list[Any]) -> tuple[int, ...] | None:
    """Return the path of the first item that has another length or depth than those before."""
    open_rows: list[tuple[tuple[int, ...], Any]] = [((i,), row) for i, row in enumerate(rows)]
    while open_rows:
        lengths = [len(row) if isinstance(row, list) else None for _, row in open_rows]
        for (path, _), length in zip(open_rows, lengths, strict=True):
            if length != lengths[0]:
                return path
        open_rows = [
            ((*path, i), item)
            for path, row in open_rows
            for i, item in enumerate(row if isinstance(row, list) else [])
        ]
    return None


def _mapping_complaints(
    recipe: dict[Any, Any], names: Mapping[str, Any]
) -> Iterator[tuple[tuple[Any, ...], str]]:
    known = [*RECIPES, SAME]
    if len(recipe) != 1:
        yield (), f"a recipe is one name and its parameters; this has {len(recipe)} names"
        return
    ((name, given),) = recipe.items()
    if name not in known:
        yield (name,), f"unknown recipe {name!r}. {nearest(str(name), known)}"
        return
    if name == SAME:
        yield from _same_complaints(given, names)
        return
    builder = RECIPES[name]
    if not isinstance(given, dict):
        if not builder.short:
            yield (name,), f"{name} needs its parameters by name: {', '.join(builder.required)}"
            return
        given = {builder.short: given}
        prefix: tuple[Any, ...] = ()
    else:
        prefix = (name,)
    yield from _parameter_complaints(name, builder, given, prefix or (name,), bool(prefix), names)


def _same_complaints(given: Any, names: Mapping[str, Any]) -> Iterator[tuple[tuple[Any, ...], str]]:
    if not isinstance(given, str) or given not in names:
        yield (SAME,), f"no argument {given!r} in this case. {nearest(str(given), names)}"
    elif _names_another(names[given]):
        yield (SAME,), f"argument {given!r} is itself a 'same'; name the one that is built"


def _parameter_complaints(
    name: str,
    builder: Builder,
    given: dict[Any, Any],
    path: tuple[Any, ...],
    named: bool,
    names: Mapping[str, Any],
) -> Iterator[tuple[tuple[Any, ...], str]]:
    sound = True
    for key, value in given.items():
        place = (*path, key) if named else path
        if key not in builder.parameters:
            yield place, f"{name} has no {key!r}. {nearest(str(key), builder.parameters)}"
            sound = False
        elif key == "of" and _names_another(value):
            yield place, "'of' cannot be a 'same': write the recipe of the array itself"
            sound = False
        elif key == "of":
            for inner, message in complaints(value, names):
                yield (*place, *inner), message
                sound = False
            if not isinstance(value, list | dict) or (sound and not shape_of(value, names)):
                yield place, "'of' is a recipe of an array with at least one axis"
                sound = False
        elif not _CHECKS[key][0](value):
            yield place, f"{key!r} is {_CHECKS[key][1]}, not {_described(value)}"
            sound = False
    for key in builder.required:
        if key not in given:
            yield path, f"{name} needs {key!r}"
            sound = False
    if sound:
        yield from _value_complaints(name, given, path, names)


def _value_complaints(
    name: str, given: dict[str, Any], path: tuple[Any, ...], names: Mapping[str, Any]
) -> Iterator[tuple[tuple[Any, ...], str]]:
    if "low" in given or "high" in given:
        low, high = given.get("low", 0.0), given.get("high", 1.0)
        if name == "integers" and not (_is_int64(low) and _is_int64(high)):
            yield path, "'low' and 'high' of integers are whole numbers of 64 bits"
            return
        if low > high:
            yield path, f"'low' ({low}) is above 'high' ({high})"
            return
    if name == "tile":
        inner = shape_of(given["of"], names) or ()
        if not -len(inner) <= given["axis"] < len(inner):
            yield (*path, "axis"), f"axis {given['axis']} is not an axis of the shape {inner}"
            return
    # An axis of length 0 does not help: NumPy refuses impossible lengths beside it.
    elements = math.prod(max(1, length) for length in shape_of({name: given}, names) or ())
    if elements > MOST_ELEMENTS:
        yield path, f"{elements} elements are too many for a case; the most is {MOST_ELEMENTS}"


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and abs(value) <= _LARGEST


def _is_fill(value: Any) -> bool:
    return isinstance(value, bool | float) or (_is_whole(value) and -(2**63) <= value < 2**63)


def _is_int64(value: Any) -> bool:
    return _is_whole(value) and -(2**63) <= value < 2**63 - 1


def _is_size(value: Any) -> bool:
    return _is_whole(value) and 0 <= value < 2**31


_LARGEST = 1e100
"""beyond it, drawn numbers could overflow"""
_NUMBER = (_is_number, "a finite number of at most 1e100")

_CHECKS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "size": (_is_size, "a whole number, 0 or more"),
    "shape": (
        lambda v: isinstance(v, list) and len(v) <= 8 and all(map(_is_size, v)),
        "a list of at most 8 whole numbers, 0 or more",
    ),
    "seed": (lambda v: _is_whole(v) and 0 <= v < 2**31, "a whole number from 0 to 2147483647"),
    "scale": _NUMBER,
    "low": _NUMBER,
    "high": _NUMBER,
    "decimals": (lambda v: _is_whole(v) and 0 <= v <= 15, "a whole number from 0 to 15"),
    "value": (_is_fill, "a number of at most 64 bits or a boolean"),
    "axis": (_is_whole, "a whole number"),
    "times": (lambda v: _is_whole(v) and 1 <= v <= 1000, "a whole number from 1 to 1000"),
}


def _described(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f"the text {value!r}"
    if isinstance(value, list):
        return repr(value) if len(repr(value)) <= 40 else "this list"
    if isinstance(value, dict):
        return "a mapping"
    return repr(value)
