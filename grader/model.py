"""The project's terms as frozen data. Imports only `errors` and `child.answers` of the package.

A *problem* has *requirements*; a requirement is met exactly when all its *cases* pass. A case
is one call of the entry point, and an *execution* is its outcome. A *mismatch* is the first reason
why an execution is wrong. A *verdict* is the judgement of a case, a requirement or a submission.
A *report* has all results of one *submission*.
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
"""A plain YAML value that describes how to build one argument; see `grader.recipes`."""

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


# --- content by authors -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tolerance:
    """`|actual - expected| <= atol + rtol * |expected|`, element by element."""

    rtol: float
    atol: float


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one submission. Times are wall-clock seconds."""

    seconds: float = 2.0
    """one case"""
    memory_mb: int = 1024
    """address space of the process in MiB, where the system can limit it"""
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
    """The promised return value: one value, several in order, or several by name."""

    container: Container
    values: tuple[ReturnedValue, ...]


Checks = Literal["values", "structure", "dtype"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One promise of the statement in the learner's words.

    `checks` selects the comparison of its cases: `structure` compares kind, count and shapes;
    `values` compares the values of arrays with the right structure; `dtype` compares the values and
    the element type. `proves` names the returned values without which a case proves nothing: it is
    skipped unless they all came back with the right structure. Empty stands for every value.
    """

    id: str
    says: str
    needs: tuple[str, ...] = ()
    checks: Checks = "values"
    bonus: bool = False
    points: Fraction = Fraction(1)
    proves: tuple[str, ...] = ()
    location: Location = field(default=Location(""), compare=False)


@dataclass(frozen=True, slots=True)
class Published:
    """Values that a statement publishes, rounded to `decimals`; the reference must agree."""

    values: Mapping[str, Any]
    """name of the returned value -> nested lists of numbers with the shape of that value"""
    decimals: int
    location: Location


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A change of arguments that keeps the meaning of a case; see `grader.symmetries`."""

    name: str
    axes: tuple[tuple[str, int], ...] = ()
    """(argument, axis): axes to permute together; a negative axis counts from the end"""
    scaled: tuple[tuple[str, int], ...] = ()
    """(argument, 1 or -1): arguments to multiply by a power of two, or by its inverse"""
    blocks: str = ""
    """the argument that holds the number of blocks into which the axes are cut"""
    inside: bool = False
    """whether the order changes inside each block, and not the order of the blocks"""
    location: Location = field(default=Location(""), compare=False)


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
    fixed: tuple[str, ...] = ()
    """names of the symmetries that would change what this case means"""


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
    """argument -> lengths of its axes, as names or numbers; used to check cases"""
    symmetries: tuple[Symmetry, ...] = ()

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
"""The id of the requirement whose cases are general: they use all requirements at once."""

Implementation = Callable[..., Any]
"""A Python callable for the entry point, called with the arguments by position."""


@dataclass(frozen=True, slots=True)
class Misconception:
    """One named wrong idea: an implementation, a hint, and the requirement that it violates.

    `same_as` names another misconception whose hint helps in the same way. `exposed_by` describes
    an input that distinguishes it from the reference, for authors whose cases do not.
    """

    id: str
    violates: str
    hint: str
    implementation: Implementation
    same_as: str | None = None
    exposed_by: str = ""


@dataclass(frozen=True, slots=True)
class Alternative:
    """A correct implementation that is written differently; it must pass all cases."""

    id: str
    implementation: Implementation


# --- executions -------------------------------------------------------------------------------


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
    """A warning of a call. `line` is None when other code than the learner's gave it.

    `path` is "" for the submission, else the path of a helper. In a notebook, `line` counts from
    the start of the code cell number `cell`.
    """

    category: str
    text: str
    line: int | None = None
    path: str = ""
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call returned nothing, or why a file cannot be graded, as facts.

    `kind` selects a sentence of `grader.explain`. `facts` can be encoded as JSON;
    `grader.explain.failures` lists its keys by kind. `type_name` and `message` are those of an
    exception. `frames` are in the learner's files, outermost first.
    """

    kind: str
    type_name: str = ""
    message: str = ""
    frames: tuple[Frame, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


class Outcome(StrEnum):
    """How a call of an implementation ended, before any judgement."""

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
    """skipped after an earlier timeout, crash or the total time limit; `failure` has the reason"""


@dataclass(frozen=True, slots=True, eq=False)
class Execution:
    """The outcome of one call of an implementation. `seconds` is wall-clock time."""

    outcome: Outcome
    answer: Answer | None = None
    failure: Failure | None = None
    output: str = ""
    """text printed during the call: bounded, decoded, without control characters"""
    seconds: float = 0.0
    notes: tuple[Remark, ...] = ()
    changed: tuple[int, ...] = ()
    """positions, from 0, of the arguments that were changed in place"""
    warnings: tuple[Warned, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One case for a runner: its id, the requirement it belongs to, and built arguments.

    If `arguments` contains an object twice, the implementation gets one object twice. A process
    that makes visible calls never gets the arguments of a hidden one.
    """

    case: str
    requirement: str
    arguments: tuple[Any, ...]
    hidden: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Submission:
    """A learner's file that the grader has read and checked, ready for a runner."""

    name: str
    """the displayed path: relative to the course if possible, with `/` between folders"""
    source: bytes
    helpers: Mapping[str, bytes] = field(default_factory=dict)
    """modules that it imports and that were handed in with it: module name -> source"""
    beside: frozenset[str] = frozenset()
    """modules that it imports and that only lie in the same folder: not handed in with it"""
    line_map: tuple[tuple[int, int], ...] = ()
    """of a notebook: (number of the cell, line in the cell) for each line of `source`"""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A runner's job: run one submission on calls of the entry point within limits."""

    submission: Submission
    entry_point: str
    returns: Returns
    calls: Sequence[Call]
    limits: Limits


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a submission could not be run: an invalid file, or a failure during loading."""

    kind: str
    """unreadable, too_large, encoding, notebook, syntax, import, missing, ..."""
    failure: Failure
    line: int | None = None
    column: int | None = None
    text: str = ""
    """the learner's line"""
    cell: int | None = None
    """number of a notebook's code cell; `line` counts from its start"""
    output: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """All executions of one submission by case id; with a refusal there are none.

    `seconds` is wall-clock time.
    """

    executions: Mapping[str, Execution]
    refusal: Refusal | None = None
    warnings: tuple[Warned, ...] = ()
    """of loading the file"""
    seconds: float = 0.0


# --- judgements -------------------------------------------------------------------------------


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
    """The first reason why an answer is wrong, as facts; `grader.explain` makes sentences.

    `kind` is one of `compare.KINDS`. `value` names the wrong returned value, `axes` its axes.
    `compare` lists the keys of `facts` by kind; `why_not` is a `Remark`, the others are plain data.
    """

    kind: str
    value: str = ""
    axes: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a case was skipped; a case that was not run has a failure instead."""

    kind: Literal["waits", "structure", "refused", "hidden"]
    waits_for: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    """of `structure`: the returned values that the case needs and that have a wrong structure"""


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
    """The misconception that returns the same wrong numbers, and its hint.

    `misconception` is empty when several fit equally well; then `hint` says what they share.
    """

    misconception: str
    hint: str


@dataclass(frozen=True, slots=True, eq=False)
class RequirementResult:
    """One requirement of a report: the worst verdict of its cases, or skipped while it waits."""

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
    """The results of grading one submission: the complete input of a format.

    `seconds` is wall-clock time; `reseed` is the value of `--reseed`.
    """

    problem: Problem
    submission: str
    verdict: Outlook
    earned: Fraction
    possible: Fraction
    requirements: tuple[RequirementResult, ...]
    refusal: Refusal | None = None
    warnings: tuple[Warned, ...] = ()
    """of loading the file"""
    runner: str = ""
    isolation: tuple[str, ...] = ()
    confined: bool = True
    """whether a sandbox kept the submission from files, the network and other processes"""
    seconds: float = 0.0
    reseed: int = 0
