"""The words of the project as frozen data. Imports nothing of the package but locations.

A *problem* has *requirements*; a requirement is met exactly when all its *cases* pass. A case
is one call of the entry point. What happened is an *execution*; the first reason why it is not
right is a *mismatch*; the judgement is a *verdict*; everything known after grading one
*submission* is a *report*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from grader.child.answers import Answer, Remark, Value
from grader.errors import Location

__all__ = ["Answer", "Remark", "Value"]

Recipe = Any
"""A plain YAML value that says how to build one argument; see `grader.recipes`."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


# --- what authors write -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tolerance:
    """`|actual - expected| <= atol + rtol * |expected|`, element by element."""

    rtol: float
    atol: float


@dataclass(frozen=True, slots=True)
class Limits:
    """What one submission may use. Times are wall-clock seconds."""

    seconds: float = 2.0
    """one case"""
    memory_mb: int = 1024
    """address space of the process, where the system can limit it"""
    import_seconds: float = 5.0
    """loading the submission's file"""
    total_seconds: float = 30.0
    """the whole submission"""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the entry point; an optional one may be left out by a case."""

    name: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class ReturnedValue:
    """One value that the entry point returns: its name, its axes' names, its dtype if promised."""

    name: str
    axes: tuple[str, ...]
    dtype: str | None = None


Container = Literal["single", "tuple", "dictionary"]


@dataclass(frozen=True, slots=True)
class Returns:
    """What the entry point returns: one value, several in order, or several by name."""

    container: Container
    values: tuple[ReturnedValue, ...]


Checks = Literal["values", "structure", "dtype"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promise of the statement in the learner's words.

    `checks` says what its cases compare: `structure` is kind, count and shapes; `dtype` adds the
    element type to the values; `values` compares the values of what has the right structure.
    """

    id: str
    says: str
    needs: tuple[str, ...] = ()
    checks: Checks = "values"
    bonus: bool = False
    points: Fraction = Fraction(1)
    location: Location = field(default=Location(""), compare=False)


@dataclass(frozen=True, slots=True)
class Published:
    """Values that a statement publishes, rounded to `decimals`; the reference must agree."""

    values: Mapping[str, Any]
    """name of the returned value -> nested lists of numbers"""
    decimals: int
    location: Location


@dataclass(frozen=True, slots=True)
class Case:
    """One call of the entry point: arguments as recipes, in the order of the parameters."""

    id: str
    requirement: str
    why: str
    arguments: Mapping[str, Recipe]
    location: Location
    published: Published | None = None
    tolerance: Tolerance | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """One exercise. `requirements` and `cases` keep the author's order."""

    slug: str
    title: str
    entry_point: str
    parameters: tuple[Parameter, ...]
    returns: Returns
    requirements: tuple[Requirement, ...]
    cases: tuple[Case, ...]
    tolerance: Tolerance
    limits: Limits
    hints: tuple[str, ...]
    folder: Path
    shapes: Mapping[str, tuple[str | int, ...]] = field(default_factory=dict)
    """lengths of the axes of arguments, by name or number, for checking cases"""

    def requirement(self, id: str) -> Requirement:
        """Return the requirement `id`; KeyError when there is none."""
        for requirement in self.requirements:
            if requirement.id == id:
                return requirement
        raise KeyError(id)

    def cases_of(self, requirement: str) -> tuple[Case, ...]:
        """Return the cases of one requirement, in the author's order."""
        return tuple(case for case in self.cases if case.requirement == requirement)

    def tolerance_of(self, case: Case) -> Tolerance:
        """Return the tolerance that judges `case`: its own, or the problem's."""
        return case.tolerance or self.tolerance


TOGETHER = "together"
"""The requirement whose cases are general: everything matters in them at once."""

Implementation = Callable[..., Any]
"""A Python callable for the entry point, called with the arguments by position."""


@dataclass(frozen=True, slots=True)
class Misconception:
    """One named wrong idea: an implementation, a hint, and the requirement that it violates.

    `same_as` names another misconception that is the same for the learner's purposes.
    `exposed_by` says which property of an input would betray it, for an author whose cases do
    not.
    """

    id: str
    violates: str
    hint: str
    implementation: Implementation
    same_as: str | None = None
    exposed_by: str = ""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A right implementation, written differently; it must never be failed."""

    id: str
    implementation: Implementation


# --- what happened ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback in the learner's own files.

    In a notebook, `line` counts from the start of the code cell number `cell`.
    """

    path: str
    line: int
    function: str
    text: str = ""
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning of a call. `line` is None when it was not given in the learner's own files.

    `path` is "" for the submission itself, else a file that it imports.
    """

    category: str
    text: str
    line: int | None = None
    path: str = ""
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call returned nothing, or why a file cannot be graded, as facts.

    `kind` names a sentence of `grader.explain`, `facts` holds JSON-able detail by kind, as listed
    there. `type_name` and `message` are an exception's own; `frames` only the learner's,
    outermost first.
    """

    kind: str
    type_name: str = ""
    message: str = ""
    frames: tuple[Frame, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


class Outcome(StrEnum):
    """What happened when an implementation met a case, before any judgement."""

    RETURNED = "returned"
    RAISED = "raised"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    """the process ended: a signal, an early exit, a broken protocol"""
    MEMORY = "memory"
    OUTPUT_LIMIT = "output_limit"
    FORBIDDEN = "forbidden"
    """the sandbox refused a system call and the submission did not recover"""
    NOT_RUN = "not_run"
    """left out after an earlier timeout, crash or the end of the budget; `failure` says why"""


@dataclass(frozen=True, slots=True, eq=False)
class Execution:
    """What happened when an implementation met one case."""

    outcome: Outcome
    answer: Answer | None = None
    failure: Failure | None = None
    output: str = ""
    """what was printed during the call: bounded, decoded, without control characters"""
    seconds: float = 0.0
    notes: tuple[Remark, ...] = ()
    changed: tuple[int, ...] = ()
    """positions, from 0, of the arguments that were changed in place"""
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One case for a runner: its id, the requirement it belongs to, and built arguments.

    The same object may stand at several places in `arguments`; the implementation sees it so.
    """

    case: str
    requirement: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Submission:
    """A learner's file, read and checked by the grader, as the runner needs it."""

    name: str
    """path as shown: relative to the root where possible, `/` between folders"""
    source: bytes
    helpers: Mapping[str, bytes] = field(default_factory=dict)
    """sibling modules that it imports: module name -> source"""
    line_map: tuple[tuple[int, int], ...] = ()
    """for a notebook: the number of the cell and the line in it, for each line of `source`"""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """What a runner is asked to do: run one submission on calls of the entry point, in limits."""

    submission: Submission
    entry_point: str
    returns: Returns
    calls: Sequence[Call]
    limits: Limits


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a submission could not be run at all: a bad file, or a failure while loading it."""

    kind: str
    """unreadable, too_large, encoding, notebook, empty, syntax, import, missing, ..."""
    failure: Failure
    line: int | None = None
    column: int | None = None
    text: str = ""
    """the learner's line"""
    cell: int | None = None
    """of a notebook, from whose start `line` counts"""
    output: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """All executions of one submission, by case id; or the refusal, and then none."""

    executions: Mapping[str, Execution]
    refusal: Refusal | None = None
    warnings: tuple[Warned, ...] = ()
    """while the file was loaded"""
    seconds: float = 0.0


# --- what was judged --------------------------------------------------------------------------


class Verdict(StrEnum):
    """The judgement of a case or a requirement, best first."""

    PASSED = "passed"
    SKIPPED = "skipped"
    FAILED = "failed"
    ERRORED = "errored"

    @property
    def badness(self) -> int:
        """Return 0 for the best verdict; larger is worse."""
        return list(Verdict).index(self)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first reason why an answer is not right, as facts; `grader.explain` makes sentences.

    `kind` is one of `compare.KINDS`. `value` names the returned value that is wrong, `axes` its
    axes. `facts` holds JSON-able detail by kind, as `compare` documents.
    """

    kind: str
    value: str = ""
    axes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a case was skipped; one that was not run has a failure instead that says so."""

    kind: Literal["waits", "structure", "refused", "hidden"]
    waits_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CaseResult:
    """One case of a report."""

    case: Case
    verdict: Verdict
    execution: Execution
    mismatch: Mismatch | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the numbers betray: a misconception and its hint.

    `misconception` is empty when several fit and none can be preferred; then `hint` says what
    they share.
    """

    misconception: str
    hint: str


@dataclass(frozen=True, slots=True, eq=False)
class RequirementResult:
    """One requirement of a report: the worst of its cases, or skipped while it waits."""

    requirement: Requirement
    verdict: Verdict
    cases: tuple[CaseResult, ...]
    waits_for: tuple[str, ...] = ()
    diagnosis: Diagnosis | None = None


class Outlook(StrEnum):
    """The verdict of a whole submission."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"
    NOT_STARTED = "not_started"


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Everything known after grading one submission; all that a format sees."""

    problem: Problem
    submission: str
    verdict: Outlook
    earned: Fraction
    possible: Fraction
    requirements: tuple[RequirementResult, ...]
    refusal: Refusal | None = None
    warnings: tuple[Warned, ...] = ()
    """while the file was loaded"""
    runner: str = ""
    isolation: tuple[str, ...] = ()
    seconds: float = 0.0
    reseed: int = 0
