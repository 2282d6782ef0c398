"""Read `problem.yaml` into a `Problem` without cases."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any, get_args

import numpy as np
from yaml.nodes import MappingNode, Node

from grader.errors import Complaint, nearest
from grader.loading.document import BROKEN, Document
from grader.loading.nodes import KeyPath, node_at
from grader.loading.symmetries import read_symmetries
from grader.model import (
    Checks,
    Container,
    Limits,
    Parameter,
    Problem,
    Requirement,
    ReturnedValue,
    Returns,
    Symmetry,
    Tolerance,
)

_REQUIRED = (
    "title",
    "entry_point",
    "parameters",
    "returns",
    "tolerance",
    "requirements",
    "hints",
)
_OPTIONAL = ("limits", "shapes", "symmetries")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_LEAST_LIMITS = {"seconds": 0.01, "memory_mb": 256, "import_seconds": 0.1, "total_seconds": 0.1}


def read_problem(slug: str, folder: Path, root: Path) -> tuple[Problem | None, list[Complaint]]:
    """Return the problem in `folder/problem.yaml` and the complaints about the file.

    The problem is None if the file cannot be parsed. Otherwise each invalid field has a default,
    so that the case files can still be checked against the valid ones.
    """
    path = folder / "problem.yaml"
    document = Document(path, shown(path, root))
    if document.root is None:
        return None, document.complaints
    fields = document.fields(document.root, (), _REQUIRED, _OPTIONAL)
    reader = _Reader(document)

    def read(key: str, method: Any, default: Any) -> Any:
        return method(fields[key][1], (key,)) if key in fields else default

    def read_valid(key: str, method: Any, default: Any) -> Any:
        """Use the default of a field with complaints: others must not be checked against it."""
        before = len(document.complaints)
        value = read(key, method, default)
        return value if len(document.complaints) == before else default

    parameters = read_valid("parameters", reader.parameters, ())
    shapes = read_valid("shapes", reader.shapes_of(parameters), {}) if parameters else {}

    def symmetries(node: Node, at: KeyPath) -> tuple[Symmetry, ...]:
        return read_symmetries(document, node, at, parameters, shapes) if parameters else ()

    problem = Problem(
        slug=slug,
        title=read("title", document.text, slug),
        entry_point=read("entry_point", reader.entry_point, "missing"),
        parameters=parameters,
        returns=read_valid("returns", reader.returns, Returns("single", ())),
        requirements=read("requirements", reader.requirements, ()),
        cases=(),
        tolerance=read("tolerance", reader.tolerance, Tolerance(0.0, 0.0)),
        limits=read("limits", reader.limits, Limits()),
        hints=read("hints", reader.hints, ()),
        folder=folder,
        shapes=shapes,
        symmetries=read("symmetries", symmetries, ()),
    )
    if problem.returns.values and problem.requirements:
        reader.check_dtype_promises(problem, fields["returns"][0])
        reader.check_proves(problem.returns)
    return problem, document.complaints


def shown(path: Path, root: Path) -> str:
    """Return a path for messages: relative to `root` if it lies below it, with `/`."""
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return str(path)


def read_tolerance(document: Document, node: Node, at: KeyPath) -> Tolerance:
    """Return the tolerance `{rtol, atol}`; both keys are required."""
    fields = document.fields(node, at, ["rtol", "atol"])
    values = {
        key: float(document.number(value, (*at, key), key, least=0))
        for key, (_, value) in fields.items()
    }
    return Tolerance(values.get("rtol", 0.0), values.get("atol", 0.0))


class _Reader:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.proves: list[tuple[str, Node, KeyPath]] = []
        """names in `proves` of requirements, which are read before `returns` is known"""

    def entry_point(self, node: Node, at: KeyPath) -> str:
        name = self.document.text(node, at)
        if name and not name.isidentifier():
            self.document.complain(node, f"{name!r} is not the name of a function", at)
        return name

    def parameters(self, node: Node, at: KeyPath) -> tuple[Parameter, ...]:
        parameters: list[Parameter] = []
        for index, item in enumerate(self.document.items(node, at, "parameters")):
            text = self.document.text(item, (*at, index))
            parameter = Parameter(text.removesuffix("?"), text.endswith("?"))
            if text and not parameter.name.isidentifier():
                self.document.complain(item, f"{text!r} is not a parameter's name", (*at, index))
            elif any(parameter.name == other.name for other in parameters):
                self.document.complain(item, f"parameter {text!r} is listed twice", (*at, index))
            elif not parameter.optional and any(other.optional for other in parameters):
                self.document.complain(
                    item,
                    f"parameter {text!r} must be given, but follows one that may be left out",
                    (*at, index),
                    "Arguments go by position: list the optional ones last.",
                )
            parameters.append(parameter)
        return tuple(parameters)

    def returns(self, node: Node, at: KeyPath) -> Returns:
        container: Container = "single"
        if isinstance(node, MappingNode):
            fields = self.document.fields(node, at, ["dictionary"])
            if "dictionary" not in fields:
                return Returns("dictionary", (ReturnedValue("value", ()),))
            node, at, container = fields["dictionary"][1], (*at, "dictionary"), "dictionary"
        values: list[ReturnedValue] = []
        for index, item in enumerate(self.document.items(node, at, "returned values")):
            value = self._returned_value(item, (*at, index))
            if any(value.name == other.name for other in values):
                self.document.complain(item, f"{value.name!r} is returned twice", (*at, index))
            values.append(value)
        if container == "single" and len(values) > 1:
            container = "tuple"
        return Returns(container, tuple(values))

    def _returned_value(self, node: Node, at: KeyPath) -> ReturnedValue:
        fields = self.document.fields(node, at, ["name", "axes"], ["dtype"])
        name, dtype = "value", None
        axes: tuple[str, ...] = ()
        if "name" in fields:
            name = self.document.text(fields["name"][1], (*at, "name"))
        if "axes" in fields:
            items = self.document.items(fields["axes"][1], (*at, "axes"), "axes", empty=True)
            axes = tuple(self.document.text(item, (*at, "axes", i)) for i, item in enumerate(items))
        if "dtype" in fields:
            dtype = self._dtype(fields["dtype"][1], (*at, "dtype"))
        return ReturnedValue(name, axes, dtype)

    def _dtype(self, node: Node, at: KeyPath) -> str | None:
        name = self.document.text(node, at)
        try:
            dtype = np.dtype(name) if name else None
        except TypeError:
            dtype = None
        if dtype is None or dtype.kind not in "biufc":
            self.document.complain(
                node, f"{name!r} is not a NumPy element type", at, "For example: float64, int64."
            )
            return None
        return dtype.name

    def tolerance(self, node: Node, at: KeyPath) -> Tolerance:
        return read_tolerance(self.document, node, at)

    def limits(self, node: Node, at: KeyPath) -> Limits:
        fields = self.document.fields(node, at, [], _LEAST_LIMITS)
        values = {
            key: self.document.number(
                value, (*at, key), key, _LEAST_LIMITS[key], whole=key == "memory_mb"
            )
            for key, (_, value) in fields.items()
        }
        return Limits(**values)

    def hints(self, node: Node, at: KeyPath) -> tuple[str, ...]:
        items = self.document.items(node, at, "hints", empty=True)
        return tuple(self.document.text(item, (*at, i)) for i, item in enumerate(items))

    def requirements(self, node: Node, at: KeyPath) -> tuple[Requirement, ...]:
        items = self.document.items(node, at, "requirements")
        places: dict[str, tuple[Node, KeyPath]] = {}
        requirements: dict[str, Requirement] = {}
        for index, item in enumerate(items):
            place = (*at, index)
            requirement = self._requirement(item, place)
            if requirement.id in requirements:
                first = requirements[requirement.id].location.line
                self.document.complain(
                    node_at(item, ("id",)),
                    f"requirement id {requirement.id!r} is used twice",
                    (*place, "id"),
                    f"Choose another id; line {first} has this one.",
                )
            elif requirement.id:
                requirements[requirement.id] = requirement
                places[requirement.id] = (item, place)
        self._check_needs(requirements, places)
        return tuple(requirements.values())

    def _requirement(self, node: Node, at: KeyPath) -> Requirement:
        document = self.document
        optional = ["needs", "checks", "bonus", "points", "proves"]
        fields = document.fields(node, at, ["id", "says"], optional)
        values: dict[str, Any] = {"id": "", "says": "", "location": document.location(node, at)}
        for key, (_, value) in fields.items():
            place = (*at, key)
            if key == "id":
                values[key] = document.text(value, place)
                if values[key] and not _ID.fullmatch(values[key]):
                    document.complain(
                        value,
                        f"{values[key]!r} is not an id",
                        place,
                        "Use lower-case letters, digits and single dashes: head-columns.",
                    )
            elif key == "says":
                values[key] = document.text(value, place)
            elif key == "needs":
                needed = document.items(value, place, "requirement ids", empty=True)
                values[key] = tuple(document.text(n, (*place, i)) for i, n in enumerate(needed))
            elif key == "proves":
                proving = document.items(value, place, "returned values")
                values[key] = tuple(document.text(n, (*place, i)) for i, n in enumerate(proving))
                self.proves += [(values[key][i], n, (*place, i)) for i, n in enumerate(proving)]
            elif key == "checks":
                values[key] = document.choice(value, place, get_args(Checks), "check") or "values"
            elif key == "bonus":
                values[key] = document.flag(value, place)
            else:
                points = document.number(value, place, key, least=0)
                values[key] = Fraction(str(points))
        return Requirement(**values)

    def _check_needs(
        self, requirements: dict[str, Requirement], places: dict[str, tuple[Node, KeyPath]]
    ) -> None:
        for id, requirement in requirements.items():
            item, at = places[id]
            for position, need in enumerate(requirement.needs):
                node = node_at(item, ("needs", position))
                if need and need not in requirements:
                    message = f"{id!r} needs the unknown requirement {need!r}"
                    self.document.complain(
                        node, message, (*at, "needs", position), nearest(need, requirements)
                    )
                elif need and requirements[need].bonus and not requirement.bonus:
                    message = f"{id!r} needs {need!r}, which is a bonus and never needed"
                    self.document.complain(node, message, (*at, "needs", position))
        try:
            TopologicalSorter({r.id: r.needs for r in requirements.values()}).prepare()
        except CycleError as error:
            cycle = error.args[1]
            node, at = places[cycle[0]]
            self.document.complain(
                node, f"these requirements wait for each other: {' -> '.join(cycle)}", at
            )

    def shapes_of(
        self, parameters: tuple[Parameter, ...]
    ) -> Callable[[Node, KeyPath], dict[str, tuple[str | int, ...]]]:
        names = [parameter.name for parameter in parameters]

        def shapes(node: Node, at: KeyPath) -> dict[str, tuple[str | int, ...]]:
            fields = self.document.fields(node, at, [], names)
            return {name: self._lengths(value, (*at, name)) for name, (_, value) in fields.items()}

        return shapes

    def _lengths(self, node: Node, at: KeyPath) -> tuple[str | int, ...]:
        lengths: list[str | int] = []
        for index, item in enumerate(self.document.items(node, at, "lengths", empty=True)):
            length = self.document.plain(item, (*at, index))
            if isinstance(length, str) or (isinstance(length, int) and type(length) is not bool):
                lengths.append(length)
            elif length is not BROKEN:
                self.document.complain(item, "a length is a name or a whole number", (*at, index))
        return tuple(lengths)

    def check_proves(self, returns: Returns) -> None:
        """Complain about values in `proves` that the problem does not return."""
        names = [value.name for value in returns.values]
        for name, node, at in self.proves:
            if name and name not in names:
                message = f"{name!r} is not a returned value"
                self.document.complain(node, message, at, nearest(name, names))

    def check_dtype_promises(self, problem: Problem, node: Node) -> None:
        promised = any(value.dtype for value in problem.returns.values)
        checked = any(requirement.checks == "dtype" for requirement in problem.requirements)
        if promised and not checked:
            self.document.complain(
                node,
                "a dtype is promised, but no requirement has 'checks: dtype'",
                ("returns",),
                "Give the requirement that promises the element type 'checks: dtype'.",
            )
        if checked and not promised:
            self.document.complain(
                node,
                "a requirement has 'checks: dtype', but no returned value has a dtype",
                ("returns",),
                "Add the dtype to the returned value that promises it.",
            )
