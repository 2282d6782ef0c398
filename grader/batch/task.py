"""Tasks, their results, and the interface of executors (local processes or a Dask cluster)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol

from grader.batch.snapshot import digest
from grader.runners import Reached


@dataclass(frozen=True, slots=True)
class Task:
    """One submission to grade with one snapshot; several learners may have handed it in.

    `main` is the file name `<slug>.py` or `<slug>.ipynb`, so that a learner's report does not
    contain another learner's name. `helpers` maps file names to the modules it may import.
    """

    edition: str
    """the snapshot's key"""
    main: str
    source: bytes
    reached: Reached
    """what isolates learner code: a weaker run's result never stands for a stronger one's"""
    helpers: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def submission_hash(self) -> str:
        """The SHA-256 of the submission and its helpers, in hexadecimal."""
        return digest([self.main, self.source, *sorted(self.helpers.items())])

    @property
    def key(self) -> str:
        """The SHA-256, in hexadecimal, of all that the verdict depends on."""
        return digest([self.submission_hash, self.edition, *self.reached])


@dataclass(frozen=True, slots=True)
class Graded:
    """The result of a task. `report` is a record; the other fields summarise it for tables."""

    key: str
    edition: str
    submission_hash: str
    verdict: str
    earned: str
    possible: str
    requirements: tuple[tuple[str, str, str], ...]
    """id, verdict and misconception (or '') of each requirement"""
    report: bytes


@dataclass(frozen=True, slots=True)
class Fault:
    """A task could not be graded because of a fault of the grader; this is not a verdict."""

    key: str
    message: str
    may_pass: bool = False
    """whether the machine lacked something, so that another attempt may succeed"""
    tried: bool = False
    """whether the submission was already run again and again"""


Result = Graded | Fault


class Executor(Protocol):
    """Grades tasks; results are returned in order of completion.

    A context manager that ends the processes it started.
    """

    def __enter__(self) -> Executor: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def submit(self, task: Task) -> None:
        """Start a task; allowed only while `has_room` is true."""

    @property
    def has_room(self) -> bool:
        """Whether another task can be started now."""

    @property
    def busy(self) -> int:
        """The number of tasks that were started and have not ended."""

    def results(self) -> Sequence[Result]:
        """Wait briefly and return the finished results, maybe none. Raises GraderError."""
