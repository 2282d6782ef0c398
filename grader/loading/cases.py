"""Read the cases of one case file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from yaml.nodes import MappingNode, Node

from grader import recipes
from grader.errors import Complaint
from grader.loading.document import BROKEN, Document, Fields
from grader.loading.nodes import KeyPath, node_at
from grader.loading.problem import read_tolerance, shown
from grader.loading.symmetries import complaints
from grader.model import Case, Problem, Published, Tolerance

_MOST_DECIMALS = 15
"""decimals of a number near 1 that a float64 keeps"""
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A case file, and whether all its cases are hidden from the learner."""

    path: Path
    hidden: bool = False


def read_cases(
    case_file: CaseFile, problem: Problem | None, used_ids: dict[str, str], root: Path
) -> tuple[list[Case], list[Complaint]]:
    """Return the cases of one file and the complaints about it.

    `used_ids` maps the ids of cases read before to their locations; the ids of this file are
    added to it. If `problem` is None, the cases are not checked against its requirements and
    parameters.
    """
    document = Document(case_file.path, shown(case_file.path, root))
    if document.root is None:
        return [], document.complaints
    fields = document.fields(document.root, (), ["requirement", "cases"], ["hidden"])
    requirement = ""
    if "requirement" in fields:
        node = fields["requirement"][1]
        known = [r.id for r in problem.requirements] if problem else []
        if known:
            requirement = document.choice(node, ("requirement",), known, "requirement")
        else:
            requirement = document.text(node, ("requirement",))
    hidden = case_file.hidden
    if "hidden" in fields:
        hidden |= document.flag(fields["hidden"][1], ("hidden",))
    cases: list[Case] = []
    if "cases" in fields:
        reader = _CaseReader(document, problem, requirement, hidden, used_ids)
        for index, node in enumerate(document.items(fields["cases"][1], ("cases",), "cases")):
            cases.append(reader.read(node, ("cases", index)))
    return cases, document.complaints


@dataclass(slots=True)
class _CaseReader:
    document: Document
    problem: Problem | None
    requirement: str
    hidden: bool
    used_ids: dict[str, str]

    def read(self, node: Node, at: KeyPath) -> Case:
        document = self.document
        fields = document.fields(
            node,
            at,
            ["id", "why", "arguments"],
            ["expected", "decimals", "tolerance", "hidden", "fixed"],
        )
        fixed = self._fixed(fields["fixed"][1], (*at, "fixed")) if "fixed" in fields else ()
        arguments: dict[str, Any] = {}
        if "arguments" in fields:
            place = (*at, "arguments")
            arguments = self._arguments(fields["arguments"][1], place)
            if "expected" not in fields:
                self._check_symmetries(arguments, fixed, fields["arguments"][0], place)
        tolerance: Tolerance | None = None
        if "tolerance" in fields:
            tolerance = read_tolerance(document, fields["tolerance"][1], (*at, "tolerance"))
        hidden = self.hidden
        if "hidden" in fields:
            hidden |= document.flag(fields["hidden"][1], (*at, "hidden"))
        return Case(
            id=self._id(fields, at),
            requirement=self.requirement,
            why=document.text(fields["why"][1], (*at, "why")) if "why" in fields else "",
            arguments=arguments,
            location=document.location(node, at),
            published=self._published(fields, at),
            tolerance=tolerance,
            hidden=hidden,
            fixed=fixed,
        )

    def _fixed(self, node: Node, at: KeyPath) -> tuple[str, ...]:
        """Return the names of the symmetries that would change what the case means."""
        known = [symmetry.name for symmetry in self.problem.symmetries] if self.problem else []
        items = self.document.items(node, at, "names of symmetries")
        choose = (
            self.document.choice if known else lambda node, at, *_: self.document.text(node, at)
        )
        return tuple(choose(n, (*at, i), known, "symmetry") for i, n in enumerate(items))

    def _check_symmetries(
        self, arguments: Mapping[str, Any], fixed: tuple[str, ...], node: Node, at: KeyPath
    ) -> None:
        """Complain about symmetries that do not fit the arguments and are not `fixed`."""
        if not self.problem or not self.problem.symmetries:
            return
        shapes = recipes.shapes_of(arguments)
        for name, message in complaints(self.problem, shapes, arguments):
            if name not in fixed:
                advice = f"Correct the shape, or write fixed: [{name}]."
                self.document.complain(node, message, at, advice)

    def _id(self, fields: Fields, at: KeyPath) -> str:
        if "id" not in fields:
            return ""
        node = fields["id"][1]
        id = self.document.text(node, (*at, "id"))
        if id and not _ID.fullmatch(id):
            self.document.complain(
                node,
                f"{id!r} is not an id",
                (*at, "id"),
                "Use lower-case letters, digits and single dashes: equal-columns.",
            )
        elif id in self.used_ids:
            self.document.complain(
                node,
                f"case id {id!r} is used twice",
                (*at, "id"),
                f"Choose another id; {self.used_ids[id]} has this one.",
            )
        elif id:
            self.used_ids[id] = str(self.document.location(node))
        return id

    def _arguments(self, node: Node, at: KeyPath) -> dict[str, Any]:
        parameters = self.problem.parameters if self.problem else ()
        if parameters:
            required = [p.name for p in parameters if not p.optional]
            optional = [p.name for p in parameters if p.optional]
            fields = self.document.fields(node, at, required, optional)
            self._check_left_out(at, fields)
            names = [p.name for p in parameters if p.name in fields]
        else:
            fields = self.document.mapping(node, at) or {}
            names = list(fields)
        plain = {name: self.document.plain(fields[name][1], (*at, name)) for name in names}
        accepted: dict[str, Any] = {}
        for name, recipe in plain.items():
            if recipe is BROKEN:
                continue
            wrong = list(recipes.complaints(recipe, plain))
            for path, message in wrong:
                place = node_at(fields[name][1], path)
                self.document.complain(place, message, (*at, name, *path))
            if not wrong:
                accepted[name] = recipe
        if len(accepted) == len(plain):
            self._check_shapes(accepted, fields, at)
        return accepted

    def _check_left_out(self, at: KeyPath, fields: Fields) -> None:
        """Complain about an argument that follows one that is left out.

        Arguments are passed by position, so only the last ones can be left out.
        """
        assert self.problem is not None
        left_out = ""
        for parameter in self.problem.parameters:
            if parameter.optional and parameter.name not in fields:
                left_out = left_out or parameter.name
            elif left_out and parameter.name in fields:
                self.document.complain(
                    fields[parameter.name][0],
                    f"{parameter.name!r} is given, but {left_out!r} before it is left out",
                    (*at, parameter.name),
                    f"Arguments go by position: give {left_out!r} as well.",
                )

    def _check_shapes(self, arguments: Mapping[str, Any], fields: Fields, at: KeyPath) -> None:
        """Complain about arguments whose shapes disagree with `shapes` of problem.yaml."""
        lengths: dict[str, tuple[int, str]] = {}
        for name, axes in (self.problem.shapes if self.problem else {}).items():
            if name not in arguments:
                continue
            shape = recipes.shape_of(arguments[name], arguments)
            node = fields[name][1]
            if shape is None or len(shape) != len(axes):
                promised = f"({', '.join(map(str, axes))})"
                message = f"{name} has the shape {shape}, not {promised}"
                if shape is None:
                    message = f"{name} is not an array; it must have the shape {promised}"
                self.document.complain(node, message, (*at, name))
                continue
            for position, (axis, length) in enumerate(zip(axes, shape, strict=True)):
                expected, source = (
                    (axis, "") if isinstance(axis, int) else lengths.get(axis, (length, ""))
                )
                if expected != length:
                    rule = f" ({axis}) must have length {expected}, as in {source}"
                    if not source:
                        rule = f" must have length {expected}"
                    self.document.complain(
                        node, f"{name} has the shape {shape}: axis {position}{rule}", (*at, name)
                    )
                elif isinstance(axis, str):
                    lengths.setdefault(axis, (length, name))

    def _published(self, fields: Fields, at: KeyPath) -> Published | None:
        if "expected" not in fields:
            if "decimals" in fields:
                self.document.complain(
                    fields["decimals"][0],
                    "'decimals' without 'expected'",
                    (*at, "decimals"),
                    "Add the published values ('expected'), or remove 'decimals'.",
                )
            return None
        key_node, node = fields["expected"]
        place = (*at, "expected")
        decimals = _MOST_DECIMALS
        if "decimals" in fields:
            given = self.document.number(
                fields["decimals"][1], (*at, "decimals"), "decimals", least=0, whole=True
            )
            decimals = min(given, _MOST_DECIMALS)
        else:
            self.document.complain(
                key_node,
                "'expected' without 'decimals'",
                place,
                "Say to how many decimals the values are published: decimals: 4.",
            )
        values = self._published_values(node, place, decimals)
        return Published(values, decimals, self.document.location(key_node, place))

    def _published_values(self, node: Node, at: KeyPath, decimals: int) -> dict[str, Any]:
        returns = self.problem.returns if self.problem else None
        if returns is None or not returns.values:
            return {}  # `returns` has a complaint of its own
        returned = [value.name for value in returns.values]
        nodes: dict[str, tuple[Node, KeyPath]]
        if returns.container == "single":
            nodes = {returned[0]: (node, at)}
        else:
            fields = self.document.fields(node, at, [], returned)
            if isinstance(node, MappingNode) and not node.value:
                names = ", ".join(returned)
                self.document.complain(node, "no published value", at, f"By name: {names}.")
            nodes = {name: (value, (*at, name)) for name, (_, value) in fields.items()}
        values: dict[str, Any] = {}
        for name, (value_node, place) in nodes.items():
            plain = self.document.plain(value_node, place)
            if plain is BROKEN:
                continue
            fault = _publication_fault(plain, decimals)
            if fault:
                self.document.complain(value_node, fault, place)
            else:
                values[name] = plain
        return values


def _publication_fault(plain: Any, decimals: int) -> str:
    """Return why `plain` cannot be a published value with `decimals` decimals, or ''."""
    if isinstance(plain, dict):
        return "one value is returned: write its numbers without a name"
    try:
        array = np.array(plain)
    except ValueError:
        return "the rows of published values must have the same length"
    if array.dtype.kind not in "iuf" or not np.isfinite(array).all():
        return "published values are finite numbers"
    too_precise = array[array.round(decimals) != array].ravel()
    return f"{too_precise[0]} has more than {decimals} decimals" if too_precise.size else ""
