"""Options of grading: frozen values, parsed once from the command line.

Each field declares whether it changes a result. A stored result is used again only for options
with the same `key`, which contains all fields that change a result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

from grader.catalog import ExtraCases

if TYPE_CHECKING:
    from argparse import Namespace

_T = TypeVar("_T")


def _option(flag: str, default: Any, *, changes_result: bool) -> Any:
    return field(default=default, metadata={"flag": flag, "changes_result": changes_result})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Options:
    def as_flags(self) -> list[str]:
        """Return the arguments on the command line that give these options."""
        return [word for option in fields(self) for word in self._flags_of(option)]

    def key(self) -> tuple[object, ...]:
        """Return the values of the fields that change a result, in the order of definition."""
        return tuple(getattr(self, f.name) for f in fields(self) if f.metadata["changes_result"])

    def _flags_of(self, option: Any) -> Iterator[str]:
        value, flag = getattr(self, option.name), option.metadata["flag"]
        if isinstance(value, tuple):
            for each in value:
                yield from (flag, each)
        elif value != option.default:
            yield flag
            if not isinstance(value, bool):
                yield str(value)


@dataclass(frozen=True, slots=True)
class GradingOptions(_Options):
    """The cases to judge and the details that a report contains."""

    cases: tuple[str, ...] = _option("--cases", (), changes_result=True)
    """folders of additional case files"""
    hidden: bool = _option("--hidden", False, changes_result=True)
    """whether the additional cases are hidden"""
    reveal: bool = _option("--reveal", False, changes_result=False)
    """whether reports contain the details of hidden cases; stored results always do"""
    diagnoses: bool = _option("--no-diagnosis", True, changes_result=True)
    reseed: int = _option("--reseed", 0, changes_result=True)
    """number added to every seed of a recipe"""

    @property
    def extra(self) -> tuple[ExtraCases, ...]:
        """The folders of additional case files as the catalog takes them."""
        return tuple(ExtraCases(Path(folder), self.hidden) for folder in self.cases)

    def at(self, folder: Path) -> GradingOptions:
        """Return the same options with the case folders resolved relative to `folder`."""
        return replace(self, cases=tuple(str(folder / case) for case in self.cases))


@dataclass(frozen=True, slots=True)
class RunningOptions(_Options):
    """The runner of learner code and whether it must confine that code."""

    runner: str = _option("--runner", "auto", changes_result=False)
    """the name of a runner; what it reaches is part of a stored result's key: `runners.Reached`"""
    require_isolation: bool = _option("--require-isolation", False, changes_result=False)
    """whether to refuse a runner that does not confine"""


def parse(kind: type[_T], parsed: Namespace) -> _T:
    """Return the parsed arguments as an instance of the frozen dataclass `kind`.

    A field whose type is a dataclass is filled from the same arguments; lists become tuples. A
    field that the command has no option for keeps its default.
    """
    assert is_dataclass(kind)
    types, arguments = get_type_hints(kind), vars(parsed)
    values: dict[str, Any] = {}
    for each in fields(kind):
        if is_dataclass(types[each.name]):
            values[each.name] = parse(types[each.name], parsed)
        elif each.name in arguments:
            value = arguments[each.name]
            values[each.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)
