"""Several submissions at once in one runner: one that hangs holds up no other."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from grader.model import Job, Run
from grader.runners.supervision import Start, Supervision

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SLOW_SECONDS = 0.5
"""a submission that was silent for longer may hang, so another one starts beside it"""


class Scheduler(ABC):
    """What the runners share that run each submission in child processes.

    `jobs` is how many submissions should work at once, `spare` how many more may hang meanwhile.
    Not for two threads at once.
    """

    def __init__(self, jobs: int, spare: int) -> None:
        self._jobs = jobs
        self._most = jobs + spare
        self._active: dict[int, tuple[Job, Supervision]] = {}
        self._finished: dict[int, Run] = {}
        self._tickets = 0

    def run(self, job: Job) -> Run:
        """Return what happened when the submission met each of the calls."""
        ticket = self.submit(job)
        self._prepare(job)
        while ticket not in self._finished:
            self._step(1.0)
        return self._finished.pop(ticket)

    def submit(self, job: Job) -> int:
        """Start a submission and return its ticket; waits while there is no place for it."""
        while not self._has_place():
            self._step(1.0)
        self._tickets += 1
        self._begin(self._tickets, job)
        return self._tickets

    def wait(self, timeout: float, beside: Connection | None = None) -> dict[int, Run]:
        """Return the runs that are finished, by ticket.

        Waits at most `timeout` s for one, and no longer once `beside` can be read.
        """
        ends = time.monotonic() + timeout
        while not self._finished and (self._active or beside):
            left = max(0.0, ends - time.monotonic())
            if self._step(left, beside) or not left:
                break
        finished, self._finished = self._finished, {}
        return finished

    @property
    def room(self) -> bool:
        """Whether another submission would start at once without crowding those at work."""
        now = time.monotonic()
        young = sum(s.silent(now) < SLOW_SECONDS for _, s in self._active.values())
        return young < self._jobs and self._has_place()

    def _has_place(self) -> bool:
        """Return whether one more child could start without waiting."""
        return len(self._active) < self._most

    @abstractmethod
    def _starter(self, job: Job) -> Start:
        """Return what starts a child for the job."""

    @abstractmethod
    def _listen(self, timeout: float, beside: Connection | None) -> bool:
        """Wait until a child may have said something; return whether `beside` can be read."""

    def _prepare(self, _job: Job) -> None:
        """Make the next job start faster: `run` runs one at a time, so that a core idles."""
        return

    def _begin(self, ticket: int, job: Job) -> None:
        self._active[ticket] = job, Supervision(self._starter(job), job)

    def _step(self, timeout: float, beside: Connection | None = None) -> bool:
        """Wait a little, let every submission take what came; return whether `beside` can be read.

        A submission whose supervision fails is forgotten.
        """
        now = time.monotonic()
        due = min((s.deadline - now for _, s in self._active.values()), default=timeout)
        called = self._listen(max(0.0, min(timeout, due)), beside)
        for ticket, (_, supervision) in list(self._active.items()):
            try:
                is_over = supervision.advance(0.0)
            except RuntimeError:
                del self._active[ticket]
                raise
            if is_over:
                self._finished[ticket] = supervision.run
                del self._active[ticket]
        return called
