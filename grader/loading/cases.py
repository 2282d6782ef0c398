"""One case file to `Case`s."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from yaml.nodes import Node

from grader import recipes
from grader.errors import Complaint, Location
from grader.loading.document import BROKEN, Document, Fields, Path_, node_at
from grader.loading.problem import read_tolerance, shown
from grader.model import Case, Problem, Published, Tolerance

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A case file, and whether everything in it is hidden from the learner."""

    path: Path
    hidden: bool = False


def read_cases(
    case_file: CaseFile, problem: Problem | None, seen: dict[str, str], root: Path
) -> tuple[list[Case], list[Complaint]]:
    """Return the cases of one file and what is wrong with it.

    `seen` maps the ids of cases read before to their places, and grows. Without a problem only
    the form of the file is checked.
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
        reader = _CaseReader(document, problem, requirement, hidden, seen)
        for index, node in enumerate(document.items(fields["cases"][1], ("cases",), "cases")):
            cases.append(reader.read(node, ("cases", index)))
    return cases, document.complaints


@dataclass(slots=True)
class _CaseReader:
    document: Document
    problem: Problem | None
    requirement: str
    hidden: bool
    seen: dict[str, str]

    def read(self, node: Node, at: Path_) -> Case:
        document = self.document
        fields = document.fields(
            node,
            at,
            ["id", "why", "arguments"],
            ["expected", "decimals", "tolerance", "hidden"],
        )
        arguments: dict[str, Any] = {}
        places: dict[str, Location] = {}
        if "arguments" in fields:
            arguments, places = self._arguments(fields["arguments"][1], (*at, "arguments"))
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
            location=document.location(node),
            published=self._published(fields, at),
            tolerance=tolerance,
            hidden=hidden,
            argument_locations=places,
        )

    def _id(self, fields: Fields, at: Path_) -> str:
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
        elif id in self.seen:
            self.document.complain(
                node,
                f"case id {id!r} is used twice",
                (*at, "id"),
                f"It is first used at {self.seen[id]}; ids are unique in an exercise.",
            )
        elif id:
            self.seen[id] = str(self.document.location(node))
        return id

    def _arguments(self, node: Node, at: Path_) -> tuple[dict[str, Any], dict[str, Location]]:
        parameters = self.problem.parameters if self.problem else ()
        if parameters:
            required = [p.name for p in parameters if not p.optional]
            optional = [p.name for p in parameters if p.optional]
            fields = self.document.fields(node, at, required, optional)
            self._check_left_out(node, at, fields)
            names = [p.name for p in parameters if p.name in fields]
        else:
            fields = self.document.mapping(node, at) or {}
            names = list(fields)
        plain = {name: self.document.plain(fields[name][1], (*at, name)) for name in names}
        sound: dict[str, Any] = {}
        for name, recipe in plain.items():
            if recipe is BROKEN:
                continue
            wrong = list(recipes.complaints(recipe, plain))
            for path, message in wrong:
                place = node_at(fields[name][1], path)
                self.document.complain(place, message, (*at, name, *path))
            if not wrong:
                sound[name] = recipe
        places = {name: self.document.location(fields[name][1]) for name in names}
        if len(sound) == len(plain):
            self._check_shapes(sound, fields, at)
        return sound, places

    def _check_left_out(self, node: Node, at: Path_, fields: Fields) -> None:
        """Arguments go by position, so only the last optional ones can be left out."""
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

    def _check_shapes(self, arguments: Mapping[str, Any], fields: Fields, at: Path_) -> None:
        """Complain about arguments whose shapes do not fit together as `shapes` says."""
        lengths: dict[str, tuple[int, str]] = {}
        for name, axes in (self.problem.shapes if self.problem else {}).items():
            if name not in arguments:
                continue
            shape = recipes.shape_of(arguments[name], arguments)
            node = fields[name][1]
            if shape is None or len(shape) != len(axes):
                promised = ", ".join(map(str, axes))
                got = "no array" if shape is None else f"the shape {shape}"
                self.document.complain(node, f"{name} has {got}, not ({promised})", (*at, name))
                continue
            for position, (axis, length) in enumerate(zip(axes, shape, strict=True)):
                wanted, source = (
                    (axis, "") if isinstance(axis, int) else lengths.get(axis, (length, ""))
                )
                if wanted != length:
                    because = f", as in {source}" if source else ""
                    self.document.complain(
                        node,
                        f"{name} has the shape {shape}: axis {position} ({axis}) must have"
                        f" length {wanted}{because}",
                        (*at, name),
                    )
                elif isinstance(axis, str):
                    lengths.setdefault(axis, (length, name))

    def _published(self, fields: Fields, at: Path_) -> Published | None:
        if "expected" not in fields:
            if "decimals" in fields:
                self.document.complain(
                    fields["decimals"][0],
                    "'decimals' without 'expected'",
                    (*at, "decimals"),
                    "'decimals' is the number of decimals of the published values.",
                )
            return None
        key_node, node = fields["expected"]
        place = (*at, "expected")
        decimals = 0
        if "decimals" in fields:
            decimals = self.document.number(
                fields["decimals"][1], (*at, "decimals"), "decimals", least=0, whole=True
            )
        else:
            self.document.complain(
                key_node,
                "'expected' without 'decimals'",
                place,
                "Say to how many decimals the values are published: decimals: 4.",
            )
        values = self._published_values(node, place)
        return Published(values, min(decimals, 15), self.document.location(key_node))

    def _published_values(self, node: Node, at: Path_) -> dict[str, Any]:
        returned = [v.name for v in self.problem.returns.values] if self.problem else []
        nodes: dict[str, Node]
        if self.problem and self.problem.returns.container == "single":
            nodes = {returned[0]: node}
        else:
            fields = (
                self.document.fields(node, at, [], returned)
                if returned
                else self.document.mapping(node, at) or {}
            )
            if not fields:
                self.document.complain(node, "no published value by name", at)
            nodes = {name: value for name, (_, value) in fields.items()}
        values: dict[str, Any] = {}
        for name, value_node in nodes.items():
            plain = self.document.plain(value_node, at)
            if plain is BROKEN:
                continue
            if _is_numeric(plain):
                values[name] = plain
            else:
                self.document.complain(
                    value_node, "published values are finite numbers in regular lists", at
                )
        return values


def _is_numeric(plain: Any) -> bool:
    try:
        array = np.array(plain)
    except ValueError:
        return False
    if array.dtype.kind in "iu":
        return True
    return array.dtype.kind == "f" and array.size > 0 and math.isfinite(array.sum())
