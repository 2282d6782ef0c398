"""Recipes: plain YAML values that say how to build one argument.

A number, a boolean, null or text is the Python value itself. Nested lists are a `numpy.array`
(int64 if all numbers are whole, float64 if any has a decimal point, bool for booleans). A mapping
with one key names a recipe of `table`; its value is a mapping of parameters, or the value of the
one parameter that the recipe's `short` names. `{same: X}` is the same array object as argument X.
"""

from __future__ import annotations

from grader.recipes import table
from grader.recipes.definition import RECIPES, Check, Recipe, Seed, recipe
from grader.recipes.reading import (
    Nested,
    build,
    complaints,
    elements_of,
    is_drawn,
    shape_of,
    shapes_of,
)

__all__ = [
    "RECIPES",
    "Check",
    "Nested",
    "Recipe",
    "Seed",
    "build",
    "complaints",
    "elements_of",
    "is_drawn",
    "recipe",
    "shape_of",
    "shapes_of",
    "table",
]
