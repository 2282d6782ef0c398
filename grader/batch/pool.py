"""Worker processes on this machine: as many tasks at once as there are jobs, hung ones aside."""

from __future__ import annotations

import multiprocessing
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from grader.batch import grading
from grader.batch.snapshot import Snapshot
from grader.batch.task import Fault, Graded, Task
from grader.errors import GraderError
from grader.options import RunningOptions

SLOW_SECONDS = 1.0
"""after which a task may be a hang, so another one starts beside it"""
SLOTS = 4
"""tasks at once in one worker: one that runs, three that may hang"""
_MOST_DEATHS = 3
_WAIT_SECONDS = 0.2
_END_SECONDS = 5.0


@dataclass(eq=False, slots=True)
class _WorkerProcess:
    pipe: Connection
    process: BaseProcess
    folder: tempfile.TemporaryDirectory[str]
    tasks: dict[str, tuple[Task, float]] = field(default_factory=dict)
    """by key: what it works on, and since when"""
    is_ready: bool = False

    def has_room(self, now: float) -> bool:
        young = sum(now - since < SLOW_SECONDS for _, since in self.tasks.values())
        return self.is_ready and young == 0 and len(self.tasks) < SLOTS

    def end(self) -> None:
        """End the process, whose pipe is closed, and remove its folder."""
        self.process.join(_END_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.folder.cleanup()


class Pool:
    """A context manager that ends its processes."""

    def __init__(
        self,
        jobs: int,
        snapshots: Sequence[Snapshot],
        running: RunningOptions,
        tell: Callable[[str], None],
    ) -> None:
        self._arguments = (snapshots, running, SLOTS)
        self._tell = tell
        self._told: set[str] = set()
        self._deaths: Counter[str] = Counter()
        self._failed_starts = 0
        self._faults: list[Fault] = []
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_WorkerProcess] = []
        for _ in range(jobs):
            self._workers.append(self._start())

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._workers:
            each.pipe.close()
        for each in self._workers:
            each.end()

    @property
    def busy(self) -> int:
        """How many tasks have begun and not ended."""
        return sum(len(each.tasks) for each in self._workers) + len(self._faults)

    @property
    def has_room(self) -> bool:
        """Whether another task can begin now."""
        now = time.monotonic()
        return any(each.has_room(now) for each in self._workers)

    def submit(self, task: Task) -> None:
        """Begin with a task. Only while `has_room`."""
        now = time.monotonic()
        free = [each for each in self._workers if each.has_room(now)]
        self._give(min(free, key=lambda each: len(each.tasks)), task)

    def results(self) -> list[Graded | Fault]:
        """Return what is ready, after a short wait. Raises GraderError."""
        found: list[Graded | Fault] = []
        pipes = {each.pipe: each for each in self._workers}
        for ready in wait(list(pipes), _WAIT_SECONDS):
            each = pipes[ready]  # type: ignore[index]
            try:
                message = each.pipe.recv()
            except (EOFError, OSError):
                self._replace(each)
                continue
            if isinstance(message, grading.WorkerReady):
                each.is_ready = True
                self._failed_starts = 0
                if message.note and message.note not in self._told:
                    self._told.add(message.note)
                    self._tell(message.note)
            elif isinstance(message, grading.WorkerUnfit):
                raise GraderError(*message.complaints)
            else:
                del each.tasks[message.key]
                found.append(message)
        found += self._faults
        self._faults.clear()
        return found

    def _start(self) -> _WorkerProcess:
        ours, theirs = self._context.Pipe()
        # One for each worker: whoever outlives the other removes it, and no worker another's.
        folder = tempfile.TemporaryDirectory(prefix="grader-", ignore_cleanup_errors=True)
        arguments = (theirs, *self._arguments, folder.name)
        process = self._context.Process(target=grading.serve_worker, args=arguments, daemon=True)
        with _interrupts_blocked():
            process.start()
        theirs.close()  # so that its end is seen here, and ours there
        return _WorkerProcess(ours, process, folder)

    def _give(self, each: _WorkerProcess, task: Task) -> None:
        each.tasks[task.key] = (task, time.monotonic())
        with suppress(OSError):  # it died: `results` sees that and gives the task to another
            each.pipe.send(task)

    def _replace(self, dead: _WorkerProcess) -> None:
        """Start another worker for one that died, and give it what the dead one had."""
        dead.pipe.close()
        dead.end()
        self._failed_starts += not dead.is_ready
        if self._failed_starts >= _MOST_DEATHS:
            raise RuntimeError(f"worker processes do not start (exit {dead.process.exitcode})")
        new = self._start()
        self._workers[self._workers.index(dead)] = new
        for task, _ in dead.tasks.values():
            self._deaths[task.key] += 1
            if self._deaths[task.key] < _MOST_DEATHS:
                self._give(new, task)
            else:
                message = f"the worker process died {_MOST_DEATHS} times while grading this"
                self._faults.append(Fault(task.key, message))


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C, for the processes started meanwhile as well: they inherit the mask.

    A terminal sends it to all of them, and a worker cannot ignore it before it has imported.
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
