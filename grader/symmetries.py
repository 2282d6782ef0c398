"""Change the arguments of a case in ways that keep its meaning, for `--reseed`.

A *symmetry* of problem.yaml permutes axes of several arguments together, or multiplies arguments by
powers of two. Every case is changed by each symmetry, except those that it lists as `fixed`.
Answers that were memorised for the written arguments are then wrong.

An object that is passed as two arguments stays one object: the symmetries that permute its axes
then permute them in the same way, and one that holds for only one of the arguments is left out.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.model import Case, Problem, Symmetry

Array = NDArray[Any]


@dataclass(slots=True)
class _Group:
    """Symmetries that act as one, because they permute the same axis of an object."""

    name: str
    symmetries: list[Symmetry]


def changed(
    problem: Problem, case: Case, arguments: Mapping[str, Any], reseed: int
) -> dict[str, Any]:
    """Return a case's built arguments as `--reseed` changes them: the same for the same number."""
    symmetries = [symmetry for symmetry in problem.symmetries if symmetry.name not in case.fixed]
    result = dict(arguments)
    for group in _groups([s for s in symmetries if s.axes], result):
        draw = _generator(reseed, case, group.name)
        _permute(group, result, draw)
    for symmetry in symmetries:
        if symmetry.scaled:
            _scale(
                symmetry, result, 2 ** int(_generator(reseed, case, symmetry.name).randint(1, 3))
            )
    return result


def lengths(
    symmetry: Symmetry, shapes: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[str, int, int]]:
    """Yield (argument, axis, length) of each axis that the symmetry permutes, given the shapes.

    An axis that an argument does not have, or of length 1, broadcasts and is left alone.
    """
    for name, axis in symmetry.axes:
        shape = shapes.get(name, ())
        if -len(shape) <= axis < len(shape) and shape[axis] != 1:
            yield name, axis % len(shape), shape[axis]


_RANDOM = np.random.RandomState(0)


def _generator(reseed: int, case: Case, name: str) -> np.random.RandomState:
    """Return the seeded generator; creating a new one would take twenty times as long."""
    _RANDOM.seed(zlib.crc32(f"{reseed} {case.id} {name}".encode()))
    return _RANDOM


def _shapes(arguments: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    return {k: v.shape for k, v in arguments.items() if isinstance(v, np.ndarray)}


def _groups(symmetries: Sequence[Symmetry], arguments: Mapping[str, Any]) -> list[_Group]:
    """Return the symmetries joined where an object is passed twice, without those that fail."""
    groups: list[_Group] = []
    for symmetry in symmetries:
        joined = _Group(symmetry.name, [symmetry])
        # Join until no argument that shares an object belongs to another group.
        while (other := _sharing(joined, groups, arguments)) is not None:
            groups.remove(other)
            joined = _Group(other.name, other.symmetries + joined.symmetries)
        groups.append(joined)
    return [group for group in groups if _holds(group, arguments)]


def _sharing(
    group: _Group, groups: Sequence[_Group], arguments: Mapping[str, Any]
) -> _Group | None:
    """Return a group of the same kind that permutes the same axis of an object of this group."""
    first = group.symmetries[0]
    mine = {(id(arguments[name]), axis) for name, axis, _ in _axes(group, arguments)}
    for other in groups:
        theirs = other.symmetries[0]
        if (first.blocks, first.inside) == (theirs.blocks, theirs.inside):
            axes = {(id(arguments[name]), axis) for name, axis, _ in _axes(other, arguments)}
            if mine & axes:
                return other
    return None


def _holds(group: _Group, arguments: Mapping[str, Any]) -> bool:
    """Return whether the group permutes each object for all arguments that it is passed as."""
    permuted = list(_axes(group, arguments))
    covered = {(name, axis) for name, axis, _ in permuted}
    shared = (
        (other, axis)
        for name, axis, _ in permuted
        for other, value in arguments.items()
        if value is arguments[name]
    )
    return len({length for *_, length in permuted}) == 1 and covered.issuperset(shared)


def _axes(group: _Group, arguments: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    shapes = _shapes(arguments)
    for symmetry in group.symmetries:
        yield from lengths(symmetry, shapes)


def _permute(group: _Group, arguments: dict[str, Any], draw: np.random.RandomState) -> None:
    axes = list(_axes(group, arguments))
    order = _order(group.symmetries[0], axes[0][2], arguments, draw)
    done: dict[int, Array] = {}
    for original, name in {id(arguments[name]): name for name, *_ in axes}.items():
        value = arguments[name]
        for axis in {axis for other, axis, _ in axes if arguments[other] is value}:
            done[original] = np.take(done.get(original, value), order, axis)
    arguments.update({name: done.get(id(value), value) for name, value in arguments.items()})


def _order(
    symmetry: Symmetry, length: int, arguments: Mapping[str, Any], draw: np.random.RandomState
) -> Array:
    """Return the new order of an axis: of the whole axis, of its blocks, or inside each block."""
    if not symmetry.blocks:
        return _shuffled(length, draw)
    positions = np.arange(length).reshape(arguments[symmetry.blocks], -1)
    if symmetry.inside:
        return positions[:, _shuffled(positions.shape[1], draw)].ravel()
    return positions[_shuffled(len(positions), draw)].ravel()


def _shuffled(length: int, draw: np.random.RandomState) -> Array:
    """Return an order of 0 to length - 1 that differs from the written one, if there is one."""
    order = draw.permutation(length)
    return np.roll(order, 1) if (order == np.arange(length)).all() else order


def _scale(symmetry: Symmetry, arguments: dict[str, Any], factor: int) -> None:
    """Multiply the arguments by the factor or its inverse, unless whole numbers would change."""
    powers = {name: power for name, power in symmetry.scaled if name in arguments}
    values = {name: arguments[name] for name in powers}
    alone = all(
        powers.get(other) == powers[name]
        for name, value in values.items()
        for other, theirs in arguments.items()
        if theirs is value
    )
    whole = any(value.dtype.kind in "iu" and powers[name] < 0 for name, value in values.items())
    if alone and not whole:
        done = {id(v): v * (factor if powers[n] > 0 else 1 / factor) for n, v in values.items()}
        arguments.update({name: done[id(value)] for name, value in values.items()})
