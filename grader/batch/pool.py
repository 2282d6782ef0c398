"""Grade tasks in worker processes on this machine, one worker for each job."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from tempfile import TemporaryDirectory

from grader.batch import grading
from grader.batch.snapshot import Snapshot
from grader.batch.task import Fault, Result, Task
from grader.errors import SHORT, GraderError, MachineError
from grader.runners import Reached
from grader.runners.retrying import LACKS, patiently
from grader.runners.scratch import Scratch

_AHEAD = 2
"""queued tasks of a worker besides those that it has started, so that it need not wait"""
_MOST_DEATHS = 3
_MOST_REFUSALS = 4
_REFUSED_SECONDS = 0.1
"""the first wait before the machine is asked again; each further one is four times longer"""
_WAIT_SECONDS = 0.2
_END_SECONDS = 5.0


@dataclass(eq=False, slots=True)
class _WorkerProcess:
    pipe: Connection
    process: BaseProcess
    folder: TemporaryDirectory[str]
    tasks: dict[str, Task] = field(default_factory=dict)
    """key -> task that the worker has not finished"""
    given: int = 0
    """number of tasks given to the worker so far"""
    begun: int = 0
    """number of tasks that the worker has started so far, hung ones included"""
    is_ready: bool = False

    @property
    def has_room(self) -> bool:
        return self.is_ready and self.given - self.begun <= _AHEAD

    def end(self) -> None:
        """End the process, whose pipe is closed, and remove its folder."""
        self.process.join(_END_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.folder.cleanup()


@dataclass(frozen=True, slots=True)
class _Suspect:
    """A task to grade again in a worker without other tasks, not before `since` (monotonic s)."""

    task: Task
    since: float = 0.0
    alone: bool = False
    """whether no other worker may have a task meanwhile"""


class Pool:
    """An `Executor` with `jobs` worker processes; see `task.Executor`.

    The runners of all workers reach `reached`. MachineError when workers repeatedly do not start.
    """

    def __init__(self, jobs: int, snapshots: Sequence[Snapshot], reached: Reached) -> None:
        self._snapshots = snapshots
        self._reached = reached
        self._deaths: Counter[str] = Counter()
        self._refusals: Counter[str] = Counter()
        """key -> how often the machine refused to run the task"""
        self._failed_starts = 0
        self._suspects: deque[_Suspect] = deque()
        self._faults: list[Fault] = []
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_WorkerProcess] = []
        self._scratch = Scratch()
        try:
            for _ in range(jobs):
                self._workers.append(patiently(self._start))
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._workers:
            each.pipe.close()
        for each in self._workers:
            each.end()
        self._scratch.close()

    @property
    def busy(self) -> int:
        """The number of tasks that were submitted and have no result yet."""
        given = sum(len(each.tasks) for each in self._workers)
        return given + len(self._suspects) + len(self._faults)

    @property
    def has_room(self) -> bool:
        """Whether another task can be given to a worker."""
        return not self._suspects and bool(self._free())

    def submit(self, task: Task) -> None:
        """Give a task to a worker; allowed only while `has_room` is true."""
        self._give(min(self._free(), key=lambda each: each.given - each.begun), task)

    def results(self) -> list[Result]:
        """Wait briefly and return the new results. GraderError when a worker cannot grade."""
        found: list[Result] = []
        pipes = {each.pipe: each for each in self._workers}
        for ready in wait(list(pipes), _WAIT_SECONDS):
            each = pipes[ready]  # type: ignore[index]
            try:
                message = each.pipe.recv()
            except (EOFError, OSError):
                self._replace(each)
                continue
            if isinstance(message, grading.WorkerUp):
                # Not before: a process that is killed while it starts would never read them.
                with suppress(OSError):
                    each.pipe.send(self._snapshots)
            elif isinstance(message, grading.WorkerReady):
                each.is_ready = True
                self._failed_starts = 0
            elif isinstance(message, grading.WorkerUnfit):
                raise GraderError(*message.complaints)
            else:
                each.begun = message.begun
                found += self._judged(each, message.results)
        self._give_suspects()
        found += self._faults
        self._faults.clear()
        return found

    def _judged(self, each: _WorkerProcess, results: Sequence[Result]) -> Iterator[Result]:
        """Yield a worker's results; suspect the tasks that the machine refused."""
        for result in results:
            task = each.tasks.pop(result.key)
            if isinstance(result, Fault) and result.may_pass:
                tries = self._refusals[task.key] + 1
                # What was already run again and again gets one more try, without neighbours.
                least = _MOST_REFUSALS - 1 if result.tried else 0
                self._refusals[task.key] = max(tries, least)
                if self._refusals[task.key] < _MOST_REFUSALS:
                    self._suspects.append(self._refused(task))
                    continue
            yield result

    def _refused(self, task: Task) -> _Suspect:
        """Return a task to try again: after a wait, and at last without neighbours."""
        tries = self._refusals[task.key]
        wait = _REFUSED_SECONDS * 4 ** (tries - 1)
        return _Suspect(task, time.monotonic() + wait, alone=tries == _MOST_REFUSALS - 1)

    def _free(self) -> list[_WorkerProcess]:
        """Return the workers that can take another task; none of them has a suspect."""
        return [
            each
            for each in self._workers
            if each.has_room and not any(self._is_suspect(key) for key in each.tasks)
        ]

    def _is_suspect(self, key: str) -> bool:
        return key in self._deaths or key in self._refusals

    def _give_suspects(self) -> None:
        for each in self._workers:
            if self._suspects and each.is_ready and not each.tasks:
                first = self._suspects[0]
                busy = any(other.tasks for other in self._workers)
                if first.since <= time.monotonic() and not (first.alone and busy):
                    self._give(each, self._suspects.popleft().task)

    def _start(self) -> _WorkerProcess:
        """Start a worker; MachineError when the machine lacks what it needs."""
        with ExitStack() as undo:
            try:
                ours, theirs = self._context.Pipe()
                undo.callback(ours.close)
                with theirs:  # closed afterwards, so that each process notices the other's end
                    # The worker removes its folder; if it is killed, this one; else the keeper.
                    folder = self._scratch.folder()
                    undo.callback(folder.cleanup)
                    process = self._context.Process(
                        target=grading.serve_worker,
                        args=(theirs, self._reached, folder.name),
                        daemon=True,
                    )
                    with _interrupts_blocked():
                        process.start()
            except OSError as error:
                if error.errno in LACKS:
                    message = f"no worker process can be started: {error.strerror}"
                    raise MachineError(message, SHORT) from None
                raise
            undo.pop_all()
        return _WorkerProcess(ours, process, folder)

    def _give(self, each: _WorkerProcess, task: Task) -> None:
        each.tasks[task.key] = task
        each.given += 1
        with suppress(OSError):  # the worker died; `results` gives the task to another one
            each.pipe.send(task)

    def _replace(self, dead: _WorkerProcess) -> None:
        """Replace a worker that died; its tasks become suspects, or faults after 3 deaths."""
        dead.pipe.close()
        dead.end()
        if not dead.is_ready:
            self._failed_starts += 1
            time.sleep(_REFUSED_SECONDS * 4 ** (self._failed_starts - 1))
        if self._failed_starts >= _MOST_DEATHS:
            raise MachineError(f"worker processes do not start (exit {dead.process.exitcode})")
        self._workers[self._workers.index(dead)] = patiently(self._start)
        for task in dead.tasks.values():
            self._deaths[task.key] += 1
            if self._deaths[task.key] < _MOST_DEATHS:
                self._suspects.append(_Suspect(task))
            else:
                message = f"the worker process died {_MOST_DEATHS} times while grading this"
                self._faults.append(Fault(task.key, message))


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block SIGINT in this process and in processes that it starts in this context.

    A terminal sends the signal to all of them, and a worker can ignore it only after its imports.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its start would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
