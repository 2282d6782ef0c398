"""Check literal arrays (nested lists of numbers or booleans) and describe plain values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Complaints = Iterator[tuple[tuple[Any, ...], str]]
"""pairs of (path inside the recipe, message), one for each mistake"""


def literal_complaints(literal: list[Any]) -> Complaints:
    """Yield a complaint for each reason why nested lists are not an array."""
    kinds = set()
    for path, leaf in _leaves(literal, ()):
        if isinstance(leaf, bool):
            kinds.add("booleans")
        elif isinstance(leaf, int | float):
            kinds.add("numbers")
            if isinstance(leaf, int) and abs(leaf) >= 2**63:
                yield path, f"{leaf} does not fit a 64-bit integer"
        else:
            yield path, f"an array holds numbers or booleans, not {described(leaf)}"
            return
    if len(kinds) == 2:
        yield (), "an array holds either numbers or booleans, not both"
    ragged = _ragged(literal)
    if ragged is not None:
        yield ragged, "the rows of an array must have the same length"


def described(value: Any) -> str:
    """Return a description of a plain value for messages."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return f"the text {value!r}"
    if isinstance(value, list):
        return repr(value) if len(repr(value)) <= 40 else "this list"
    if isinstance(value, dict):
        return "a mapping"
    return repr(value)


def _leaves(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value


def _ragged(rows: list[Any]) -> tuple[int, ...] | None:
    """Return the path of the first item whose length or depth differs from those before it."""
    level: list[tuple[tuple[int, ...], Any]] = [((i,), row) for i, row in enumerate(rows)]
    while level:
        lengths = [len(row) if isinstance(row, list) else None for _, row in level]
        for (path, _), length in zip(level, lengths, strict=True):
            if length != lengths[0]:
                return path
        level = [
            ((*path, i), item)
            for path, row in level
            for i, item in enumerate(row if isinstance(row, list) else [])
        ]
    return None
