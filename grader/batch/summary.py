"""Summary of a class: a line for each learner, the most missed requirements, misconceptions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from grader.batch.database import ClassRow
from grader.formats.json import points
from grader.model import Problem, Report
from grader.text import clean_line

MISSING, WAITING = "missing", "waiting"
UNSTARTED = (MISSING, WAITING, "not_started")
_Key = TypeVar("_Key", str, tuple[str, str])
_RED = ("failed", "errored")
_MAX_ROWS = 15
_WIDEST_NAME = 40
_MARKS = {"passed": "✓", MISSING: "-", WAITING: "-", "not_started": "·"}
_WORDS = {"not_started": "not started", WAITING: "not graded yet"}


@dataclass(slots=True)
class Tally:
    """Counts of one exercise in a class."""

    verdicts: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    """requirements that failed or errored, by id"""
    skipped: Counter[str] = field(default_factory=Counter)
    """requirements that were skipped because another one is not met, by id"""
    misconceptions: Counter[tuple[str, str]] = field(default_factory=Counter)
    """counted by requirement id and misconception id"""
    examples: dict[tuple[str, str], ClassRow] = field(default_factory=dict)
    """one learner's row for each counted misconception"""
    earned: Fraction = Fraction(0)
    possible: Fraction = Fraction(0)
    edition: str = ""

    @property
    def learners(self) -> int:
        """The number of learners."""
        return self.verdicts.total()

    @property
    def graded(self) -> int:
        """The number of graded submissions that differ from the starter."""
        return self.learners - sum(self.verdicts[verdict] for verdict in UNSTARTED)

    def add(self, row: ClassRow) -> None:
        """Count one learner's row."""
        self.verdicts[row.verdict] += 1
        self.edition = row.edition
        if row.verdict in UNSTARTED:
            return
        self.earned += Fraction(row.earned)
        self.possible += Fraction(row.possible)
        for requirement, verdict, misconception in row.requirements:
            if verdict in _RED:
                self.missed[requirement] += 1
            elif verdict == "skipped":
                self.skipped[requirement] += 1
            if misconception:
                self.misconceptions[requirement, misconception] += 1
                self.examples.setdefault((requirement, misconception), row)


def line(row: ClassRow) -> str:
    """Return one learner's line: mark, name, exercise, points, unmet requirements."""
    mark = _MARKS.get(row.verdict, "✗")
    name = shown(row.learner)[:_WIDEST_NAME]
    if row.verdict in UNSTARTED:
        rest = _WORDS.get(row.verdict) or shown(row.note) or "nothing was handed in"
        return f"{mark} {name:<24} {row.problem}  {rest}"
    score = f"{points(Fraction(row.earned))}/{points(Fraction(row.possible))}"
    red = [
        requirement + (f" ({misconception})" if misconception else "")
        for requirement, verdict, misconception in row.requirements
        if verdict in _RED
    ]
    if not red and row.verdict == "errored":
        red = ["could not be run"]
    return f"{mark} {name:<24} {row.problem}  {score:>7}  {', '.join(red)}".rstrip()


def tally(rows: Iterable[ClassRow], tell: Callable[[str], None]) -> dict[str, Tally]:
    """Count rows by exercise; pass the line of each row to `tell`."""
    tallies: dict[str, Tally] = {}
    for row in rows:
        tell(line(row))
        tallies.setdefault(row.problem, Tally()).add(row)
    return tallies


def tables(
    problem: Problem, tally: Tally, report_of: Callable[[ClassRow], Report | None]
) -> Iterator[str]:
    """Yield the lines of one exercise's tables.

    The hint of a misconception is read from the report of one learner who has it.
    """
    verdicts = tally.verdicts
    parts = [f"{verdicts['passed']} of {tally.learners} passed"]
    for verdict, word in (
        ("failed", "failed"),
        ("errored", "with errors"),
        ("not_started", "not started"),
        (MISSING, "missing"),
        (WAITING, "not graded yet"),
    ):
        if verdicts[verdict]:
            parts.append(f"{verdicts[verdict]} {word}")
    yield ""
    yield f"{shown(problem.title)}: {', '.join(parts)}"
    if tally.possible:
        yield f"  {float(100 * tally.earned / tally.possible):.0f} % of all points"
    says = {requirement.id: requirement.says for requirement in problem.requirements}
    if tally.missed:
        yield ""
        yield "  Most often missed"
        for requirement, count in _ranked(tally.missed):
            waits = tally.skipped[requirement]
            more = f" ({waits} more skipped)" if waits else ""
            yield f"  {count:>5} of {tally.graded}  {requirement}: {says[requirement]}{more}"
    if tally.misconceptions:
        yield ""
        yield "  Misconceptions"
        for (requirement, id), count in _ranked(tally.misconceptions):
            hint = _hint(report_of(tally.examples[requirement, id]), requirement)
            yield f"  {count:>5} of {tally.graded}  {id}: {shown(hint)}"


def shown(text: str) -> str:
    """Return untrusted text on one line, without control characters."""
    return clean_line(text)


def _hint(report: Report | None, requirement: str) -> str:
    for result in report.requirements if report else ():
        if result.requirement.id == requirement and result.diagnosis:
            return result.diagnosis.hint
    return ""


def _ranked(counter: Counter[_Key]) -> list[tuple[_Key, int]]:
    """Return the most frequent items, ties sorted by name so that the order is fixed."""
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))[:_MAX_ROWS]
