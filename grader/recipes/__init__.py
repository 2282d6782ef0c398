"""Recipes: plain YAML values that say how to build one argument.

A literal stands for itself: a number, a boolean, null or text as the Python value; nested lists
as `numpy.array` of them (all whole numbers give int64, any decimal point gives float64, booleans
give bool). A mapping with one key names a recipe of `table`; its value is a mapping of
parameters, or the one parameter that the recipe's `short` names. `{same: X}` is the very array
object of argument X.
"""

from __future__ import annotations

from grader.recipes import table
from grader.recipes.definition import RECIPES, Check, Recipe, Seed, recipe
from grader.recipes.reading import Nested, build, complaints, is_drawn, shape_of

__all__ = [
    "RECIPES",
    "Check",
    "Nested",
    "Recipe",
    "Seed",
    "build",
    "complaints",
    "is_drawn",
    "recipe",
    "shape_of",
    "table",
]
