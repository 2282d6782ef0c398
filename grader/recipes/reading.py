"""Evaluate the recipe of an argument: complaints, shape, value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.errors import nearest
from grader.recipes.definition import RECIPES, Arguments, Check, Recipe, Shape
from grader.recipes.literals import Complaints, literal_complaints

SAME = "same"
MOST_ELEMENTS = 10_000_000
"""elements of one argument, 80 MB of float64; a larger size is taken for a typing error"""


def build(arguments: Arguments, reseed: int = 0) -> dict[str, Any]:
    """Return new arguments by name; every seed is shifted by `reseed`.

    The recipes must be valid: `complaints` yields nothing for them.
    """
    built = {
        name: build_one(value, reseed) for name, value in arguments.items() if not _is_same(value)
    }
    return {
        name: built[value[SAME]] if _is_same(value) else built[name]
        for name, value in arguments.items()
    }


def build_one(value: Any, reseed: int) -> Any:
    """Return the value of a valid recipe that is not a `same`."""
    if isinstance(value, list):
        return np.array(value)
    if not isinstance(value, dict):
        return value
    recipe, given = _parsed(value)
    return recipe.built(given, reseed)


def shape_of(value: Any, arguments: Arguments) -> Shape | None:
    """Return the shape of a valid recipe's value, unbuilt; None if it is not an array."""
    if isinstance(value, list):
        return np.shape(value)
    if not isinstance(value, dict):
        return None
    if _is_same(value):
        return shape_of(arguments[value[SAME]], arguments)
    recipe, given = _parsed(value)
    return recipe.shape(**recipe.shaped(given, arguments))


def shapes_of(arguments: Arguments) -> dict[str, Shape]:
    """Return the shapes of valid recipes' arrays, unbuilt, by name of argument."""
    shapes = {name: shape_of(value, arguments) for name, value in arguments.items()}
    return {name: shape for name, shape in shapes.items() if shape is not None}


def elements_of(arguments: Arguments) -> int:
    """Return the number of elements of valid recipes' arrays, unbuilt; a `same` has none."""
    shapes = shapes_of(arguments)
    return sum(math.prod(s) for name, s in shapes.items() if not _is_same(arguments[name]))


def is_drawn(value: Any) -> bool:
    """Return whether the value of a valid recipe depends on a seed; `same` does not count."""
    if not isinstance(value, dict) or _is_same(value):
        return False
    recipe, given = _parsed(value)
    return recipe.is_drawn(given)


def complaints(value: Any, arguments: Arguments) -> Complaints:
    """Yield (path inside the recipe, message) for every mistake in a recipe.

    `arguments` are the recipes of the case, to which `same` refers.
    """
    if isinstance(value, list):
        yield from literal_complaints(value)
    elif isinstance(value, dict):
        yield from _mapping_complaints(value, arguments)


def _is_same(value: Any) -> bool:
    return isinstance(value, dict) and SAME in value


def _parsed(value: Mapping[str, Any]) -> tuple[Recipe, Mapping[str, Any]]:
    """Return the named recipe and its parameters by name."""
    ((name, given),) = value.items()
    recipe = RECIPES[name]
    return recipe, given if isinstance(given, dict) else {recipe.short: given}


def _mapping_complaints(value: Mapping[Any, Any], arguments: Arguments) -> Complaints:
    if len(value) != 1:
        yield (), f"a recipe is one name and its parameters; this has {len(value)} names"
        return
    ((name, given),) = value.items()
    known = [*RECIPES, SAME]
    if name not in known:
        yield (name,), f"unknown recipe {name!r}. {nearest(str(name), known)}"
    elif name == SAME:
        yield from _same_complaints(given, arguments)
    elif not isinstance(given, dict) and not RECIPES[name].short:
        needed = ", ".join(RECIPES[name].required)
        yield (name,), f"{name} needs its parameters by name: {needed}"
    else:
        wrong = list(_parameter_complaints(name, value, arguments))
        yield from wrong or _joint_complaints(name, value, arguments)


def _same_complaints(given: Any, arguments: Arguments) -> Complaints:
    if not isinstance(given, str) or given not in arguments:
        yield (SAME,), f"no argument {given!r} in this case. {nearest(str(given), arguments)}"
    elif _is_same(arguments[given]):
        yield (SAME,), f"argument {given!r} is itself a 'same'; name the argument that it refers to"


def _parameter_complaints(name: str, value: Mapping[str, Any], arguments: Arguments) -> Complaints:
    """Yield the complaints about single parameters."""
    recipe, given = _parsed(value)
    for key, parameter in given.items():
        place = (name, key) if isinstance(value[name], dict) else (name,)
        check = recipe.checks.get(key)
        if check is None:
            yield place, f"{name} has no {key!r}. {nearest(str(key), recipe.checks)}"
            continue
        for inside, message in check.complaints(key, parameter, arguments):
            yield (*place, *inside), message
    for key in recipe.required:
        if key not in given:
            yield (name,), f"{name} needs {key!r}"


def _joint_complaints(name: str, value: Mapping[str, Any], arguments: Arguments) -> Complaints:
    """Yield the complaints about combinations of valid parameters."""
    recipe, given = _parsed(value)
    shaped = recipe.shaped(given, arguments)
    wrong = [((name, *inside), message) for inside, message in recipe.joint_check(**shaped)]
    # Count an axis of length 0 as 1: NumPy refuses huge lengths even beside it.
    elements = 0 if wrong else math.prod(max(1, n) for n in recipe.shape(**shaped) or ())
    if elements > MOST_ELEMENTS:
        message = f"{elements} elements are too many for a case; the most is {MOST_ELEMENTS}"
        wrong.append(((name,), message))
    yield from wrong


class Nested(Check):
    """Checks a parameter that is itself a recipe; `fits` takes the shape of its value."""

    __slots__ = ()

    def complaints(self, key: str, value: Any, arguments: Arguments) -> Complaints:
        """Yield the complaints about the nested recipe or its shape."""
        if _is_same(value):
            yield (), f"{key!r} cannot be a 'same': write the recipe of the array itself"
            return
        wrong = list(complaints(value, arguments))
        yield from wrong
        if not wrong and not self.fits(shape_of(value, arguments)):
            yield (), f"{key!r} is {self.kind}"

    def built(self, value: Any, reseed: int) -> Any:
        """Return the value of the nested recipe."""
        return build_one(value, reseed)

    def shaped(self, value: Any, arguments: Arguments) -> Any:
        """Return the shape of the nested recipe's value."""
        return shape_of(value, arguments)

    def is_drawn(self, value: Any) -> bool:
        """Return whether the nested recipe's value depends on a seed."""
        return is_drawn(value)
