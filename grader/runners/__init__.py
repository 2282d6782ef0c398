"""Runners: the ways to run an implementation on cases.

`RUNNERS` lists them; `choose` returns a runner by name, or the strongest that works on this system.
A run chooses once: its later runners are made by `again`, which never takes a weaker one.
Importing this package is fast; a runner's own module is imported when the runner is chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from types import TracebackType

    from grader.errors import MachineError
    from grader.model import Job, Run


class Runner(Protocol):
    """Runs submissions. A context manager that calls `close` at its end."""

    @property
    def name(self) -> str:
        """Its key in `RUNNERS`."""

    @property
    def confines(self) -> bool:
        """Whether a sandbox keeps learner code from files, the network and other processes."""

    @property
    def isolation(self) -> tuple[str, ...]:
        """The layers between learner code and the grader that are active."""

    def run(self, job: Job) -> Run:
        """Return the executions of all calls of the job, or the refusal of its submission.

        Raises `errors.MachineError` when the machine refuses what the job needs.
        """

    def close(self) -> None:
        """End all processes of the runner."""

    def __enter__(self) -> Runner: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class ConcurrentRunner(Runner, Protocol):
    """A runner that can run several submissions at once; see `scheduler.Scheduler`."""

    def submit(self, job: Job) -> int:
        """Start a job and return its ticket; wait while no child can be started."""

    def wait(
        self, timeout: float, beside: Connection | None = None
    ) -> dict[int, Run | MachineError]:
        """Return the finished runs by ticket, as soon as there is one.

        A run that the machine refused is an error; another attempt may succeed.
        Returns after `timeout` seconds, or when `beside` becomes readable, at the latest.
        """

    @property
    def room(self) -> bool:
        """Whether another job can start now: a child is free and fewer than `jobs` are busy."""


class RunnerClass(Protocol):
    """A class of runners. Its constructor raises `errors.UsageError` where it cannot work, and
    `errors.MachineError` where it works but the machine refuses it now.

    `jobs` is the number of submissions that run at once, `spare` the number that may hang besides.
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
"""the default numbers of submissions that run at once; see `RunnerClass`"""


class _Closable(Protocol):
    def close(self) -> None: ...


_C = TypeVar("_C", bound=_Closable)


class Reached(NamedTuple):
    """What isolates learner code in a run: a part of the key of each stored result."""

    runner: str
    layers: tuple[str, ...]


def choose(
    name: str = "auto", require_isolation: bool = False, jobs: int = JOBS, spare: int = SPARE
) -> tuple[ConcurrentRunner, str]:
    """Return the runner `name`, and why `auto` chose one that does not confine, or "".

    Raises `errors.UsageError` for an unknown name, and with `require_isolation` when the runner
    would not confine learner code; the message names the missing layer. Raises
    `errors.MachineError` when the runner works here but cannot start now, also after waiting.
    """
    from grader.errors import UsageError, unknown_name

    if name == "auto":
        return _strongest(require_isolation, jobs, spare)
    if name not in RUNNERS:
        raise unknown_name(f"there is no runner {name!r}", name, ["auto", *RUNNERS])
    if require_isolation and not RUNNERS[name]().confines:
        raise UsageError(f"the runner {name!r} does not confine learner code")
    return _made(name, jobs, spare), ""


def reach(name: str, require_isolation: bool) -> tuple[Reached, str]:
    """Return what `choose` reaches here, and its line for the user; no runner stays open."""
    runner, note = choose(name, require_isolation)
    with runner:
        return Reached(runner.name, runner.isolation), note


def again(reached: Reached, jobs: int = JOBS, spare: int = SPARE) -> ConcurrentRunner:
    """Return one more runner for a run that reached `reached`.

    Raises `errors.MachineError` when none starts, or when it reaches anything else.
    """
    from grader.runners.retrying import patiently

    def start() -> tuple[ConcurrentRunner, Reached]:
        runner = RUNNERS[reached.runner]()(jobs, spare)
        return runner, Reached(runner.name, runner.isolation)

    return patiently(lambda: same(reached, start))


def same(reached: Reached, start: Callable[[], tuple[_C, Reached]]) -> _C:
    """Return what `start` starts if it reaches `reached`; else close it.

    Raises `errors.MachineError` when it cannot start here, or reaches anything else.
    """
    from grader.errors import MachineError, UsageError

    try:
        started, found = start()
    except UsageError as error:
        raise MachineError(str(error)) from None
    if found != reached:
        started.close()
        raise MachineError(f"the isolation changed during the run: {found}, before {reached}")
    return started


def _made(name: str, jobs: int, spare: int) -> ConcurrentRunner:
    from grader.runners.retrying import patiently

    return patiently(lambda: RUNNERS[name]()(jobs, spare))


def _strongest(require_isolation: bool, jobs: int, spare: int) -> tuple[ConcurrentRunner, str]:
    """Return `zygote`; where it cannot work and isolation is optional, `process` and a note."""
    from grader.errors import UsageError

    try:
        return _made("zygote", jobs, spare), ""
    except UsageError as error:
        if require_isolation:
            raise
        note = f"{error.complaints[0].message}; 'process' guards against accidents only"
        return _made("process", jobs, spare), note
