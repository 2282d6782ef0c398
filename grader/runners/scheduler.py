"""Run several submissions at once in one runner; one that hangs does not delay the others."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

from grader.errors import MachineError
from grader.model import Job, Run
from grader.runners.retrying import patiently
from grader.runners.supervision import Start, Supervision

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SLOW_SECONDS = 0.5
"""a submission that sent no frame for longer may hang, so another one starts besides"""


class Scheduler(ABC):
    """The base class of runners that run each submission in child processes.

    `jobs` is the number of submissions that run at once, `spare` the number that may hang besides.
    Not thread-safe.
    """

    def __init__(self, jobs: int, spare: int) -> None:
        self._jobs = jobs
        self._most = jobs + spare
        self._active: dict[int, tuple[Job, Supervision]] = {}
        self._finished: dict[int, Run | MachineError] = {}
        self._tickets = 0

    def run(self, job: Job) -> Run:
        """Return the executions of all calls of the job, or the refusal of its submission.

        MachineError when the machine refuses what the job needs, also after some waiting.
        """
        return patiently(lambda: self._run(job))

    def _run(self, job: Job) -> Run:
        ticket = self.submit(job)
        try:
            self._prepare(job)
            while ticket not in self._finished:
                self._step(1.0)
        except MachineError:  # of the runner: the job may still run
            self._abandon(ticket)
            raise
        finished = self._finished.pop(ticket)
        if isinstance(finished, MachineError):
            raise finished
        return finished

    def _abandon(self, ticket: int) -> None:
        """End a job whose result nobody takes; do nothing when it runs no more."""
        if ticket in self._active:
            _, supervision = self._active.pop(ticket)
            with suppress(Exception):  # its child cannot be reached
                supervision.abandon()

    def submit(self, job: Job) -> int:
        """Start a job and return its ticket; wait while no child can be started."""
        while not self._has_place():
            self._step(1.0)
        self._tickets += 1
        self._begin(self._tickets, job)
        return self._tickets

    def wait(
        self, timeout: float, beside: Connection | None = None
    ) -> dict[int, Run | MachineError]:
        """Return the finished runs by ticket, as soon as there is one.

        Returns after `timeout` seconds, or when `beside` becomes readable, at the latest.
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
        """Whether another job can start now: a child is free and fewer than `jobs` are busy."""
        now = time.monotonic()
        young = sum(s.silent(now) < SLOW_SECONDS for _, s in self._active.values())
        return young < self._jobs and self._has_place()

    def _has_place(self) -> bool:
        """Return whether one more child can start now."""
        return len(self._active) < self._most

    @abstractmethod
    def _starter(self, job: Job) -> Start:
        """Return the function that starts a child for the job."""

    @abstractmethod
    def _listen(self, timeout: float, beside: Connection | None) -> bool:
        """Wait until a child may have sent bytes; return whether `beside` is readable."""

    def _prepare(self, _job: Job) -> None:
        """Prepare a child for the next job: `run` runs one job at a time, so a core is idle."""
        return

    def _begin(self, ticket: int, job: Job) -> None:
        try:
            self._active[ticket] = job, Supervision(self._starter(job), job)
        except MachineError as error:
            self._finished[ticket] = error

    def _step(self, timeout: float, beside: Connection | None = None) -> bool:
        """Wait at most `timeout` s, then advance every job; return whether `beside` is readable.

        A job whose supervision raises MachineError has ended with it.
        """
        now = time.monotonic()
        due = min((s.deadline - now for _, s in self._active.values()), default=timeout)
        called = self._listen(max(0.0, min(timeout, due)), beside)
        for ticket, (_, supervision) in list(self._active.items()):
            try:
                is_over = supervision.advance(0.0)
            except MachineError as error:
                self._finished[ticket] = error
                del self._active[ticket]
                continue
            if is_over:
                self._finished[ticket] = supervision.run
                del self._active[ticket]
        return called
