"""The confined runner (Linux): each submission in a forked child of a warm process.

The child holds inputs only, can read the interpreter and installed packages only, and can make
few system calls. Submissions may be run one by one, or several at once with `submit` and `wait`;
one that hangs holds up no other.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from grader.child.protocol import LANDLOCK, SECCOMP
from grader.errors import Complaint, UsageError
from grader.model import Job, Run
from grader.runners import launch
from grader.runners.supervision import Supervision
from grader.runners.zygote_child import ZygoteChild
from grader.runners.zygote_client import LOOK_SECONDS, ZygoteClient, ZygoteError

ISOLATION = ("separate process", "resource limits", "no capabilities", "landlock", "seccomp")
_TRIAL_SECONDS = 30.0
_YOUNG_SECONDS = 0.25
"""a submission that was not heard of for longer may hang; it counts as no job"""
_MOST_RESTARTS = 2


@dataclass(slots=True)
class _Active:
    job: Job
    supervision: Supervision
    restarts: int = 0


class ZygoteRunner:
    """Runs submissions in confined children of a warm process.

    `jobs` is how many should work at once, `spare` how many more may hang meanwhile. Raises
    `UsageError` with what is missing where the sandbox does not work.
    """

    name = "zygote"
    confines = True
    isolation: tuple[str, ...] = ISOLATION

    def __init__(self, jobs: int = 1, spare: int = launch.SLOTS - 1) -> None:
        self._jobs = jobs
        self._count = jobs + spare
        self._client = self._connect()
        self._active: dict[int, _Active] = {}
        self._finished: dict[int, Run] = {}
        self._tickets = 0

    def run(self, job: Job) -> Run:
        """Return what happened when the submission met each of the calls."""
        ticket = self.submit(job)
        while ticket not in self._finished:
            self._step(1.0)
        return self._finished.pop(ticket)

    def submit(self, job: Job) -> int:
        """Start a submission and return its ticket; waits while every slot is taken."""
        while not self._client.free:
            self._step(LOOK_SECONDS)
        self._tickets += 1
        self._begin(self._tickets, job, 0)
        return self._tickets

    def wait(self, timeout: float) -> dict[int, Run]:
        """Return the runs that are finished, by ticket: at least one, or none in `timeout` s."""
        ends = time.monotonic() + timeout
        while not self._finished and self._active and time.monotonic() < ends:
            self._step(ends - time.monotonic())
        finished, self._finished = self._finished, {}
        return finished

    @property
    def room(self) -> bool:
        """Whether another submission would start at once without crowding those at work."""
        now = time.monotonic()
        young = sum(now - a.supervision.heard < _YOUNG_SECONDS for a in self._active.values())
        return young < self._jobs and self._client.free > 0

    def close(self) -> None:
        """End the warm process and all its children."""
        self._active.clear()
        self._client.close()

    def __enter__(self) -> ZygoteRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connect(self) -> ZygoteClient:
        if not launch.can_start():
            raise UsageError("the runner 'zygote' needs Linux")
        try:
            client = ZygoteClient(launch.take(self._count), ready_early=self._jobs == 1)
        except OSError as error:
            raise UsageError(f"the runner 'zygote' cannot start here: {error}") from None
        try:
            layers = client.layers(_TRIAL_SECONDS)
        except ZygoteError as error:
            client.close()
            raise UsageError(f"the runner 'zygote' did not start: {error}") from None
        names = {LANDLOCK: "landlock", SECCOMP: "seccomp"}
        missing = [name for bit, name in names.items() if not layers & bit]
        if missing:
            client.close()
            message = f"the runner 'zygote' cannot confine here: missing {' and '.join(missing)}"
            raise UsageError(Complaint(message, advice="Use Linux 5.13 or later."))
        return client

    def _begin(self, ticket: int, job: Job, restarts: int) -> None:
        limits = job.limits
        cpu_seconds = int(limits.total_seconds) + 1

        def start(request: bytes, marker: str) -> ZygoteChild:
            return ZygoteChild(self._client, request, (limits.memory_mb, cpu_seconds))

        try:
            self._active[ticket] = _Active(job, Supervision(start, job), restarts)
        except ZygoteError as error:
            self._recover(str(error), {ticket: (job, restarts)})

    def _step(self, timeout: float) -> None:
        """Wait a little, and let every submission that is under way take what came."""
        now = time.monotonic()
        due = min((a.supervision.deadline for a in self._active.values()), default=now)
        try:
            self._client.pump(max(0.0, min(timeout, due - now, LOOK_SECONDS)))
            for ticket, active in list(self._active.items()):
                if active.supervision.advance(0.0):
                    self._finished[ticket] = active.supervision.run
                    del self._active[ticket]
        except ZygoteError as error:
            self._recover(str(error), {})

    def _recover(self, reason: str, more: dict[int, tuple[Job, int]]) -> None:
        """Start anew after somebody killed the warm process, and run again what was under way."""
        again = {t: (a.job, a.restarts) for t, a in self._active.items()} | more
        self._active.clear()
        self._client.close()
        worst = max((restarts for _, restarts in again.values()), default=0)
        if worst >= _MOST_RESTARTS:
            raise RuntimeError(f"the warm process ended {worst + 1} times: {reason}")
        self._client = self._connect()
        for ticket, (job, restarts) in again.items():
            self._begin(ticket, job, restarts + 1)
