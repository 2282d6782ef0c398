"""Ways to run an implementation on cases. Importing this package is cheap; runners are not.

`RUNNERS` names them; `choose` gives the one that is wanted, or the strongest that works here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from types import TracebackType

    from grader.model import Job, Run


class Runner(Protocol):
    """Runs submissions. It is a context manager that closes itself."""

    @property
    def name(self) -> str:
        """Its key in `RUNNERS`."""

    @property
    def isolation(self) -> tuple[str, ...]:
        """The layers between learner code and the grader that are active."""

    def run(self, job: Job) -> Run:
        """Return what happened when the submission met each of the calls."""

    def close(self) -> None:
        """End what it started."""

    def __enter__(self) -> Runner: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class ConcurrentRunner(Runner, Protocol):
    """A runner that can run several submissions at once; see `scheduler.Scheduler`."""

    def submit(self, job: Job) -> int:
        """Start a submission and return its ticket; waits while there is no place for it."""

    def wait(self, timeout: float, beside: Connection | None = None) -> dict[int, Run]:
        """Return the finished runs by ticket, after at most `timeout` s.

        It waits no longer once `beside` can be read.
        """

    @property
    def room(self) -> bool:
        """Whether another submission would start at once without crowding those at work."""


class RunnerClass(Protocol):
    """A class of runners. Making one raises `errors.UsageError` where it cannot work.

    `jobs` is how many submissions should work at once, `spare` how many more may hang meanwhile.
    """

    @property
    def confines(self) -> bool:
        """Whether a sandbox keeps learner code from files, the network and other processes."""

    def __call__(self, jobs: int = ..., spare: int = ..., /) -> ConcurrentRunner: ...


def _process() -> RunnerClass:
    from grader.runners.process import ProcessRunner

    return ProcessRunner


def _inprocess() -> RunnerClass:
    from grader.runners.inprocess import InProcessRunner

    return InProcessRunner


def _zygote() -> RunnerClass:
    from grader.runners.zygote import ZygoteRunner

    return ZygoteRunner


RUNNERS: dict[str, Callable[[], RunnerClass]] = {
    "zygote": _zygote,
    "process": _process,
    "inprocess": _inprocess,
}
"""name -> a function that imports the runner's class and returns it"""


JOBS, SPARE = 1, 2
"""submissions at once, as `RunnerClass` says, unless more are wanted"""


def choose(
    name: str = "auto", require_isolation: bool = False, jobs: int = JOBS, spare: int = SPARE
) -> tuple[ConcurrentRunner, str]:
    """Return the runner `name` and a line for the user, or "".

    Raises `errors.UsageError` for an unknown name, and with `require_isolation` when the runner
    would not confine learner code; it says which layer is missing.
    """
    from grader.errors import UsageError, unknown_name

    if name == "auto":
        return _strongest(require_isolation, jobs, spare)
    if name not in RUNNERS:
        raise unknown_name(f"there is no runner {name!r}", name, ["auto", *RUNNERS])
    runner = RUNNERS[name]()
    if require_isolation and not runner.confines:
        raise UsageError(f"the runner {name!r} does not confine learner code")
    return runner(jobs, spare), ""


def _strongest(require_isolation: bool, jobs: int, spare: int) -> tuple[ConcurrentRunner, str]:
    """Return `zygote`, or where it cannot confine and need not, `process` and the reason."""
    from grader.errors import UsageError

    try:
        return RUNNERS["zygote"]()(jobs, spare), ""
    except UsageError as error:
        if require_isolation:
            raise
        note = f"{error.complaints[0].message}; 'process' guards against accidents only"
        return RUNNERS["process"]()(jobs, spare), note
