"""Read `symmetries` of problem.yaml and check that they fit the shapes of each case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from yaml.nodes import MappingNode, Node

from grader import symmetries
from grader.errors import nearest
from grader.loading.document import Document
from grader.loading.nodes import KeyPath
from grader.model import Parameter, Problem, Symmetry

_AXIS = re.compile(r"(\w+)\.(-?\d{1,2})")
_SCALED = re.compile(r"(1/)?(\w+)")
_MOST_AXES = 8
_KINDS = ("blocks", "inside", "scale")
_ADVICE = "For example: tokens: [X.0, mask.-1], heads: {blocks: num_heads, of: [W_q.1]}."

Shapes = Mapping[str, tuple[str | int, ...]]


def read_symmetries(
    document: Document, node: Node, at: KeyPath, parameters: Sequence[Parameter], shapes: Shapes
) -> tuple[Symmetry, ...]:
    """Return the symmetries, without those that have a complaint."""
    fields = document.mapping(node, at, _ADVICE) or {}
    reader = _Reader(document, [parameter.name for parameter in parameters], shapes)
    read = [reader.symmetry(name, value, (*at, name)) for name, (_, value) in fields.items()]
    return tuple(symmetry for symmetry in read if symmetry)


def complaints(
    problem: Problem, shapes: Mapping[str, tuple[int, ...]], counts: Mapping[str, object]
) -> Iterator[tuple[str, str]]:
    """Yield (name of the symmetry, message) for each symmetry that a case does not allow.

    `shapes` has the shapes of the case's arrays, `counts` its other arguments.
    """
    for symmetry in problem.symmetries:
        lengths = list(symmetries.lengths(symmetry, shapes))
        for name, axis, length in lengths:
            first, first_axis, first_length = lengths[0]
            if length != first_length:
                yield (
                    symmetry.name,
                    f"the symmetry {symmetry.name!r} permutes axis {first_axis} of {first},"
                    f" of length {first_length}, with axis {axis} of {name}, of length {length}",
                )
                break
            blocks = counts.get(symmetry.blocks) if symmetry.blocks else 1
            if type(blocks) is not int:
                blocks = "not a whole number"
            if isinstance(blocks, str) or blocks < 1 or length % blocks:
                yield (
                    symmetry.name,
                    f"the symmetry {symmetry.name!r} cuts axis {axis} of {name} into equal blocks;"
                    f" its length is {length}, and {symmetry.blocks} is {blocks}",
                )
                break


class _Reader:
    def __init__(self, document: Document, parameters: Sequence[str], shapes: Shapes) -> None:
        self.document = document
        self.parameters = parameters
        self.shapes = shapes

    def symmetry(self, name: str, node: Node, at: KeyPath) -> Symmetry | None:
        before = len(self.document.complaints)
        result = self._mapping(name, node, at) if isinstance(node, MappingNode) else None
        if not isinstance(node, MappingNode):
            result = Symmetry(name, axes=self._axes(node, at))
        if result is None or len(self.document.complaints) > before:
            return None
        return replace(result, location=self.document.location(node, at))

    def _mapping(self, name: str, node: MappingNode, at: KeyPath) -> Symmetry:
        document = self.document
        before = len(document.complaints)
        fields = document.fields(node, at, (), (*_KINDS, "of"))
        if len(document.complaints) > before:
            return Symmetry(name)
        kinds = [kind for kind in _KINDS if kind in fields]
        if len(kinds) != 1 or ("of" in fields) == (kinds == ["scale"]):
            message = "a symmetry has either 'scale', or 'of' with 'blocks' or 'inside'"
            document.complain(node, message, at, _ADVICE)
            return Symmetry(name)
        value = fields[kinds[0]][1]
        place = (*at, kinds[0])
        if kinds == ["scale"]:
            return Symmetry(name, scaled=self._scaled(value, place))
        blocks = document.choice(value, place, self.parameters, "parameter")
        axes = self._axes(fields["of"][1], (*at, "of"))
        return Symmetry(name, axes, blocks=blocks, inside=kinds == ["inside"])

    def _axes(self, node: Node, at: KeyPath) -> tuple[tuple[str, int], ...]:
        axes: list[tuple[str, int]] = []
        for index, item in enumerate(self.document.items(node, at, "axes")):
            text, place = self.document.text(item, (*at, index)), (*at, index)
            match = _AXIS.fullmatch(text)
            if text and not match:
                message = f"{text!r} is not an axis of an argument"
                self.document.complain(item, message, place, "Write X.0 for the first axis of X.")
            elif match and self._is_known(match[1], item, place):
                axis = (match[1], int(match[2]))
                count = len(self.shapes[axis[0]]) if axis[0] in self.shapes else _MOST_AXES
                if not -count <= axis[1] < count:
                    message = f"{axis[0]} has {count} axes, so there is no axis {axis[1]}"
                    if axis[0] not in self.shapes:
                        message = f"an array has at most {_MOST_AXES} axes"
                    self.document.complain(item, message, place)
                if axis in axes:
                    self.document.complain(item, f"{text!r} is listed twice", place)
                axes.append(axis)
        return tuple(axes)

    def _scaled(self, node: Node, at: KeyPath) -> tuple[tuple[str, int], ...]:
        scaled: dict[str, int] = {}
        for index, item in enumerate(self.document.items(node, at, "parameters")):
            text, place = self.document.text(item, (*at, index)), (*at, index)
            match = _SCALED.fullmatch(text)
            if text and not match:
                message = f"{text!r} is neither a parameter nor 1/ and a parameter"
                self.document.complain(item, message, place)
            elif match and self._is_known(match[2], item, place):
                if match[2] in scaled:
                    self.document.complain(item, f"{match[2]!r} is listed twice", place)
                scaled[match[2]] = -1 if match[1] else 1
        return tuple(scaled.items())

    def _is_known(self, name: str, node: Node, at: KeyPath) -> bool:
        if name not in self.parameters:
            message = f"unknown parameter {name!r}"
            self.document.complain(node, message, at, nearest(name, self.parameters))
        return name in self.parameters
