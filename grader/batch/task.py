"""A task and what comes of it, and whatever grades tasks: processes here, or a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol

from grader.batch.snapshot import digest
from grader.options import RunningOptions

_DEFAULTS = RunningOptions()


@dataclass(frozen=True, slots=True)
class Task:
    """One file to grade with one snapshot, however many learners handed it in.

    `main` is a neutral name, so that no report of one learner names another.
    """

    edition: str
    """the snapshot's key"""
    main: str
    source: bytes
    helpers: Mapping[str, bytes] = field(default_factory=dict)
    running: RunningOptions = _DEFAULTS

    @property
    def submission_hash(self) -> str:
        """The hash of what was handed in."""
        return digest([self.main, self.source, *sorted(self.helpers.items())])

    @property
    def key(self) -> str:
        """The hash of all that the verdict depends on."""
        return digest([self.submission_hash, self.edition, *self.running.key()])


@dataclass(frozen=True, slots=True)
class Graded:
    """What a task came to. `report` is a record; the rest sums it up for tables."""

    key: str
    edition: str
    submission_hash: str
    verdict: str
    earned: str
    possible: str
    requirements: tuple[tuple[str, str, str], ...]
    """id, verdict and misconception (or '') of each"""
    report: bytes


@dataclass(frozen=True, slots=True)
class Fault:
    """A task that could not be graded: a fault of the grader, never a verdict."""

    key: str
    message: str


class Executor(Protocol):
    """Grades tasks somewhere; results come in the order in which they are ready.

    It is a context manager that ends what it started.
    """

    def __enter__(self) -> Executor: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def submit(self, task: Task) -> None:
        """Begin with a task. Only while `has_room`."""

    @property
    def has_room(self) -> bool:
        """Whether another task can begin now."""

    @property
    def busy(self) -> int:
        """How many tasks have begun and not ended."""

    def results(self) -> Sequence[Graded | Fault]:
        """Return what is ready, after a short wait. Raises GraderError."""
