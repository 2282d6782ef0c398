"""What a plain value that stands for an argument can be asked: complaints, shape, value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.errors import nearest
from grader.recipes.definition import RECIPES, Arguments, Check, Recipe, Shape
from grader.recipes.literals import Found, literal_complaints

SAME = "same"
MOST_ELEMENTS = 10_000_000
"""80 MB of float64: larger arguments are a slip of the keyboard, not a case."""


def build(arguments: Arguments, reseed: int = 0) -> dict[str, Any]:
    """Return fresh arguments by name; every seed is shifted by `reseed`.

    The recipes must have passed `complaints`.
    """
    built = {
        name: built_one(value, reseed)
        for name, value in arguments.items()
        if not _names_another(value)
    }
    return {
        name: built[value[SAME]] if _names_another(value) else built[name]
        for name, value in arguments.items()
    }


def built_one(value: Any, reseed: int) -> Any:
    """Return what a sound recipe that is not a `same` builds."""
    if isinstance(value, list):
        return np.array(value)
    if not isinstance(value, dict):
        return value
    recipe, given = _parsed(value)
    return recipe.built(given, reseed)


def shape_of(value: Any, arguments: Arguments) -> Shape | None:
    """Return the shape that a sound recipe builds, without drawing; None for what has none."""
    if isinstance(value, list):
        return np.shape(value)
    if not isinstance(value, dict):
        return None
    if _names_another(value):
        return shape_of(arguments[value[SAME]], arguments)
    recipe, given = _parsed(value)
    return recipe.shape(**recipe.shaped(given, arguments))


def is_drawn(value: Any) -> bool:
    """Whether another seed changes what a sound recipe itself builds (`same` builds nothing)."""
    if not isinstance(value, dict) or _names_another(value):
        return False
    recipe, given = _parsed(value)
    return recipe.is_drawn(given)


def complaints(value: Any, arguments: Arguments) -> Found:
    """Yield (path inside the recipe, message) for everything that is wrong with it.

    `arguments` are the case's arguments, which `same` may name.
    """
    if isinstance(value, list):
        yield from literal_complaints(value)
    elif isinstance(value, dict):
        yield from _mapping_complaints(value, arguments)


def _names_another(value: Any) -> bool:
    return isinstance(value, dict) and SAME in value


def _parsed(value: Mapping[str, Any]) -> tuple[Recipe, Mapping[str, Any]]:
    """Return the recipe that is named and its parameters by name, a bare value spelt out."""
    ((name, given),) = value.items()
    recipe = RECIPES[name]
    return recipe, given if isinstance(given, dict) else {recipe.short: given}


def _mapping_complaints(value: Mapping[Any, Any], arguments: Arguments) -> Found:
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
        yield from wrong or _whole_complaints(name, value, arguments)


def _same_complaints(given: Any, arguments: Arguments) -> Found:
    if not isinstance(given, str) or given not in arguments:
        yield (SAME,), f"no argument {given!r} in this case. {nearest(str(given), arguments)}"
    elif _names_another(arguments[given]):
        yield (SAME,), f"argument {given!r} is itself a 'same'; name the one that is built"


def _parameter_complaints(name: str, value: Mapping[str, Any], arguments: Arguments) -> Found:
    """Yield what is wrong with the parameters one by one."""
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


def _whole_complaints(name: str, value: Mapping[str, Any], arguments: Arguments) -> Found:
    """Yield what is wrong with parameters that are sound one by one."""
    recipe, given = _parsed(value)
    shaped = recipe.shaped(given, arguments)
    wrong = [((name, *inside), message) for inside, message in recipe.together(**shaped)]
    # An axis of length 0 does not help: NumPy refuses impossible lengths beside it.
    elements = 0 if wrong else math.prod(max(1, n) for n in recipe.shape(**shaped) or ())
    if elements > MOST_ELEMENTS:
        message = f"{elements} elements are too many for a case; the most is {MOST_ELEMENTS}"
        wrong.append(((name,), message))
    yield from wrong


class Nested(Check):
    """A parameter that is itself a recipe; `fits` gets its shape."""

    __slots__ = ()

    def complaints(self, key: str, value: Any, arguments: Arguments) -> Found:
        """Yield what is wrong with the inner recipe, or with its shape."""
        if _names_another(value):
            yield (), f"{key!r} cannot be a 'same': write the recipe of the array itself"
            return
        wrong = list(complaints(value, arguments))
        yield from wrong
        if not wrong and not self.fits(shape_of(value, arguments)):
            yield (), f"{key!r} is {self.kind}"

    def built(self, value: Any, reseed: int) -> Any:
        """Return what the inner recipe builds."""
        return built_one(value, reseed)

    def shaped(self, value: Any, arguments: Arguments) -> Any:
        """Return the shape of the inner recipe."""
        return shape_of(value, arguments)

    def is_drawn(self, value: Any) -> bool:
        """Whether the inner recipe draws."""
        return is_drawn(value)
