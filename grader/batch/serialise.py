"""Convert reports to small records and back, so that every format can be written without grading.

A record is compressed JSON (zlib). A value that JSON lacks is tagged with its type:
`{"!": "Fraction", "": "7/2"}`. Unpacking builds only the classes of `grader.model` and runs no
code, so a foreign database is harmless. The learner's returned values are left out: no format
shows them, and they may be large. The problem and its cases are stored once for all reports.
"""

from __future__ import annotations

import dataclasses
import json
import math
import zlib
from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any

from grader import model
from grader.errors import Location
from grader.model import Problem, Report

_KIND, _CONTENT = "!", ""
_JSON_TYPES = frozenset({type(None), bool, int, str})
_CLASSES: dict[str, type[Any]] = {
    name: value
    for name, value in [*vars(model).items(), ("Location", Location)]
    if isinstance(value, type) and (dataclasses.is_dataclass(value) or issubclass(value, Enum))
}
_FIELDS = {
    kind: tuple(
        (field.name, field.default)
        for field in dataclasses.fields(kind)
        if not (kind is model.Execution and field.name == "answer")
    )
    for kind in _CLASSES.values()
    if dataclasses.is_dataclass(kind)
}
"""name and default of each field that a record contains, by class"""
_Pack = Callable[[Any], Any]
_PLAIN: dict[str, Callable[[Any], Any]] = {
    "tuple": tuple,
    "dict": dict,
    "complex": lambda parts: complex(*parts),
    "float": float,
    "Fraction": Fraction,
    "Path": Path,
}


class BadRecordError(Exception):
    """A record cannot be read: it is damaged or from another version of the grader."""


def pack_problem(problem: Problem) -> bytes:
    """Return the record of a problem with its cases."""
    return _packed(problem, {})


def unpack_problem(record: bytes) -> Problem:
    """Return the problem in a record. Raises BadRecordError."""
    problem = _unpacked(record, {})
    if not isinstance(problem, Problem):
        raise BadRecordError("it does not contain a problem")
    return problem


def pack_report(report: Report) -> bytes:
    """Return the record of a report; parts of its problem are stored as references."""
    names = {id(value): name for name, value in _parts(report.problem).items()}
    return _packed(report, names)


def unpack_report(record: bytes, problem: Problem) -> Report:
    """Return the report in a record, about `problem`. Raises BadRecordError."""
    report = _unpacked(record, _parts(problem))
    if not isinstance(report, Report):
        raise BadRecordError("it does not contain a report")
    return report


def _parts(problem: Problem) -> dict[str, Any]:
    """Return the parts of a problem that reports refer to, by unique name."""
    parts: dict[str, Any] = {"problem": problem}
    parts |= {f"requirement {r.id}": r for r in problem.requirements}
    return parts | {f"case {case.id}": case for case in problem.cases}


def _packed(value: Any, names: Mapping[int, str]) -> bytes:
    def pack(value: Any) -> Any:
        kind = type(value)
        if kind in _JSON_TYPES:
            return value
        if id(value) in names:
            return _tagged("ref", names[id(value)])
        if kind.__name__ in _CLASSES:
            if isinstance(value, Enum):
                return _tagged(kind.__name__, value.value)
            return _tagged(kind.__name__, _fields(value, pack))
        for base, packed in _PACKED.items():
            if isinstance(value, base):
                return packed(value, pack)
        if hasattr(value, "item"):  # a NumPy number among the facts of a mismatch
            return pack(value.item())
        raise TypeError(f"a record cannot hold {kind.__name__}")

    text = json.dumps(pack(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return zlib.compress(text.encode(), 6)


def _pack_float(value: float, _: _Pack) -> Any:
    return float(value) if math.isfinite(value) else _tagged("float", repr(float(value)))


def _pack_mapping(value: Mapping[Any, Any], pack: _Pack) -> Any:
    if all(isinstance(key, str) for key in value) and _KIND not in value:
        return {key: pack(item) for key, item in value.items()}
    return _tagged("dict", [[pack(key), pack(item)] for key, item in value.items()])


_PACKED: dict[type, Callable[[Any, _Pack], Any]] = {
    float: _pack_float,
    complex: lambda value, pack: _tagged("complex", [pack(value.real), pack(value.imag)]),
    Fraction: lambda value, _: _tagged("Fraction", str(value)),
    PurePath: lambda value, _: _tagged("Path", value.as_posix()),
    tuple: lambda value, pack: _tagged("tuple", [pack(item) for item in value]),
    list: lambda value, pack: [pack(item) for item in value],
    Mapping: _pack_mapping,
}
"""packing functions by class, also for subclasses; `_PLAIN` has the inverse functions"""


def _fields(value: Any, pack: _Pack) -> dict[str, Any]:
    """Return the fields that differ from their defaults."""
    fields = {}
    for name, default in _FIELDS[type(value)]:
        item = getattr(value, name)
        if item is not default:
            fields[name] = pack(item)
    return fields


def _tagged(kind: str, content: Any) -> dict[str, Any]:
    return {_KIND: kind, _CONTENT: content}


def _unpacked(record: bytes, parts: Mapping[str, Any]) -> Any:
    def build(found: dict[str, Any]) -> Any:
        if _KIND not in found:
            return found
        kind, content = found[_KIND], found[_CONTENT]
        if kind == "ref":
            return parts[content]
        if kind in _PLAIN:
            return _PLAIN[kind](content)
        built = _CLASSES[kind]
        return built(content) if issubclass(built, Enum) else built(**content)

    try:
        return json.loads(zlib.decompress(record), object_hook=build)
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise BadRecordError(f"{type(error).__name__}: {error}") from None
