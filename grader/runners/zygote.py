"""The confined runner (Linux): runs each submission in a forked child of a zygote.

The child has the inputs but no expected values. It can read only the interpreter and installed
packages, and make only the system calls in `child.sandbox.syscalls`.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from grader.errors import SHORT, Complaint, MachineError, UsageError
from grader.model import Job
from grader.runners import Reached, launch, layers, same
from grader.runners.endings import cpu_seconds
from grader.runners.retrying import LACKS
from grader.runners.scheduler import Scheduler
from grader.runners.supervision import Start
from grader.runners.zygote_child import ZygoteChild
from grader.runners.zygote_client import LOOK_SECONDS, ZygoteClient, ZygoteError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_TRIAL_SECONDS = 30.0
_MOST_RESTARTS = 2


class ZygoteRunner(Scheduler):
    """Runs submissions in confined children of a zygote.

    See `Scheduler` for the arguments. Raises `UsageError` where the sandbox does not work; the
    message names the missing layers. Raises `MachineError` when the zygote does not start.
    """

    name = "zygote"
    confines = True
    isolation: tuple[str, ...] = ()

    def __init__(self, jobs: int = 1, spare: int = launch.SLOTS - 1) -> None:
        super().__init__(jobs, spare)
        self._client, (_, self.isolation) = self._connect()
        self._restarts: Counter[int] = Counter()
        """ticket -> how often its job was started again"""

    def close(self) -> None:
        """Kill the zygote and all its children."""
        self._active.clear()
        self._client.close()

    def __enter__(self) -> ZygoteRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connect(self) -> tuple[ZygoteClient, Reached]:
        if not launch.can_start():
            raise UsageError("the runner 'zygote' needs Linux")
        try:
            client = ZygoteClient(launch.take(self._most))
        except OSError as error:
            if error.errno in LACKS:
                raise MachineError(
                    f"the runner 'zygote' cannot start now: {error}", SHORT
                ) from None
            raise UsageError(f"the runner 'zygote' cannot start here: {error}") from None
        try:
            tried = client.tried(_TRIAL_SECONDS)
        except ZygoteError as error:
            client.close()
            raise MachineError(f"the runner 'zygote' did not start: {error}") from None
        if missing := layers.missing(tried.working):
            client.close()
            message = f"the runner 'zygote' cannot confine here: missing {' and '.join(missing)}"
            raise UsageError(Complaint(message, advice=layers.advice(missing)))
        return client, Reached(self.name, layers.names(*tried))

    def submit(self, job: Job) -> int:
        """Start a job and return its ticket; wait while no child can be started."""
        if self._client.closed:
            self._client = self._reconnect()
        return super().submit(job)

    def _has_place(self) -> bool:
        return self._client.free > 0

    def _starter(self, job: Job) -> Start:
        return lambda request, _: ZygoteChild(self._client, request, _limits(job))

    def _prepare(self, job: Job) -> None:
        with suppress(ZygoteError):  # the next step finds that the zygote ended
            self._client.prepare(_limits(job))

    def _listen(self, timeout: float, beside: Connection | None) -> bool:
        if self._active:
            timeout = min(timeout, LOOK_SECONDS)
        return self._client.pump(timeout, beside.fileno() if beside else -1)

    def _begin(self, ticket: int, job: Job) -> None:
        try:
            super()._begin(ticket, job)
        except ZygoteError as error:
            self._recover(str(error), {ticket: job})

    def _step(self, timeout: float, beside: Connection | None = None) -> bool:
        try:
            return super()._step(timeout, beside)
        except ZygoteError as error:
            self._recover(str(error), {})
            return False

    def _recover(self, reason: str, more: dict[int, Job]) -> None:
        """Replace a zygote that ended, and start the unfinished jobs again."""
        again = {ticket: job for ticket, (job, _) in self._active.items()} | more
        self._active.clear()
        self._client.close()
        self._restarts.update(list(again))
        self._client = self._reconnect()
        for ticket, job in again.items():
            if self._restarts[ticket] > _MOST_RESTARTS:
                ended = f"the zygote ended {self._restarts.pop(ticket)} times: {reason}"
                self._finished[ticket] = MachineError(ended, tried=True)
            else:
                self._begin(ticket, job)

    def _reconnect(self) -> ZygoteClient:
        """Return a new client; MachineError also when the sandbox is not what it was before."""
        return same(Reached(self.name, self.isolation), self._connect)


def _limits(job: Job) -> tuple[int, int]:
    """Return the limits of a new child: MiB of memory, seconds of CPU time."""
    return job.limits.memory_mb, cpu_seconds(job.limits)
