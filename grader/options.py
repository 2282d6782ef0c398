"""Options that decide how files are graded: frozen values, parsed once from the command line.

Each field says whether it changes a result. Results with different keys are never exchanged, so
an option cannot be forgotten when a run asks for the results that exist already.
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


@dataclass(frozen=True, slots=True)
class _Options:
    def as_flags(self) -> list[str]:
        """Return the words that, typed after a command, give the same options."""
        return [word for option in fields(self) for word in self._words(option)]

    def key(self) -> tuple[object, ...]:
        """Return the values that change a result, in a fixed order."""
        return tuple(getattr(self, f.name) for f in fields(self) if f.metadata["changes_result"])

    def _words(self, option: Any) -> Iterator[str]:
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
    """What is judged, and how much of it a report tells."""

    cases: tuple[str, ...] = _option("--cases", (), changes_result=True)
    """folders of further cases"""
    hidden: bool = _option("--hidden", False, changes_result=True)
    """whether those cases are hidden"""
    reveal: bool = _option("--reveal", False, changes_result=False)
    """whether reports tell all about hidden cases; results hold all, and are hidden when told"""
    diagnoses: bool = _option("--no-diagnosis", True, changes_result=True)
    reseed: int = _option("--reseed", 0, changes_result=True)

    @property
    def extra(self) -> tuple[ExtraCases, ...]:
        """The folders of further cases."""
        return tuple(ExtraCases(Path(folder), self.hidden) for folder in self.cases)

    def at(self, folder: Path) -> GradingOptions:
        """Return the same options with the folders of cases below `folder`."""
        return replace(self, cases=tuple(str(folder / case) for case in self.cases))


@dataclass(frozen=True, slots=True)
class RunningOptions(_Options):
    """How learner code is run."""

    runner: str = _option("--runner", "auto", changes_result=True)
    require_isolation: bool = _option("--require-isolation", False, changes_result=False)
    """whether to refuse to run code that is not confined; code that runs gives the same result"""


def parse(kind: type[_T], parsed: Namespace) -> _T:
    """Return what `argparse` found as a frozen value of a dataclass.

    A field that is a dataclass is filled from the same names; lists become tuples. An option that
    the command does not offer keeps its default.
    """
    assert is_dataclass(kind)
    hints, found = get_type_hints(kind), vars(parsed)
    values: dict[str, Any] = {}
    for each in fields(kind):
        if is_dataclass(hints[each.name]):
            values[each.name] = parse(hints[each.name], parsed)
        elif each.name in found:
            value = found[each.name]
            values[each.name] = tuple(value) if isinstance(value, list) else value
    return kind(**values)
