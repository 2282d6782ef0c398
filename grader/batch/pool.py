"""Worker processes on this machine: as many units at once as there are jobs, hung ones aside."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from grader.batch import worker
from grader.batch.snapshot import Snapshot
from grader.batch.unit import Fault, Graded, Running, Unit
from grader.errors import GraderError

SLOW_SECONDS = 1.0
"""after which a unit may be a hang, so another one starts beside it"""
SLOTS = 4
"""units at once in one worker: one that runs, three that may hang"""
_MOST_DEATHS = 3
_WAIT_SECONDS = 0.2
_END_SECONDS = 5.0


@dataclass(eq=False, slots=True)
class _Worker:
    pipe: Connection
    process: BaseProcess
    units: dict[str, tuple[Unit, float]] = field(default_factory=dict)
    """by key: what it works on, and since when"""
    is_ready: bool = False

    def has_room(self, now: float) -> bool:
        young = sum(now - since < SLOW_SECONDS for _, since in self.units.values())
        return self.is_ready and young == 0 and len(self.units) < SLOTS


class Pool:
    """A context manager that ends its processes."""

    def __init__(
        self,
        jobs: int,
        snapshots: Sequence[Snapshot],
        running: Running,
        tell: Callable[[str], None],
    ) -> None:
        self._place = tempfile.TemporaryDirectory(prefix="grader-", ignore_cleanup_errors=True)
        self._arguments = (snapshots, running, SLOTS, self._place.name)
        self._tell = tell
        self._told: set[str] = set()
        self._deaths: Counter[str] = Counter()
        self._failed_starts = 0
        self._faults: list[Fault] = []
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        for _ in range(jobs):
            self._workers.append(self._start())

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._workers:
            each.pipe.close()
        for each in self._workers:
            each.process.join(_END_SECONDS)
            if each.process.is_alive():
                each.process.kill()
                each.process.join()
        self._place.cleanup()

    @property
    def busy(self) -> int:
        """How many units have begun and not ended."""
        return sum(len(each.units) for each in self._workers) + len(self._faults)

    @property
    def has_room(self) -> bool:
        """Whether another unit can begin now."""
        now = time.monotonic()
        return any(each.has_room(now) for each in self._workers)

    def submit(self, unit: Unit) -> None:
        """Begin with a unit. Only while `has_room`."""
        now = time.monotonic()
        free = [each for each in self._workers if each.has_room(now)]
        self._give(min(free, key=lambda each: len(each.units)), unit)

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
            if isinstance(message, worker.Ready):
                each.is_ready = True
                self._failed_starts = 0
                if message.note and message.note not in self._told:
                    self._told.add(message.note)
                    self._tell(message.note)
            elif isinstance(message, worker.Unfit):
                raise GraderError(*message.complaints)
            else:
                del each.units[message.key]
                found.append(message)
        found += self._faults
        self._faults.clear()
        return found

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=worker.main, args=(theirs, *self._arguments), daemon=True
        )
        process.start()
        theirs.close()  # so that its end is seen here, and ours there
        return _Worker(ours, process)

    def _give(self, each: _Worker, unit: Unit) -> None:
        each.units[unit.key] = (unit, time.monotonic())
        with suppress(OSError):  # it died: `results` sees that and gives the unit to another
            each.pipe.send(unit)

    def _replace(self, dead: _Worker) -> None:
        """Start another worker for one that died, and give it what the dead one had."""
        dead.pipe.close()
        dead.process.join()
        self._failed_starts += not dead.is_ready
        if self._failed_starts >= _MOST_DEATHS:
            raise RuntimeError(f"worker processes do not start (exit {dead.process.exitcode})")
        new = self._start()
        self._workers[self._workers.index(dead)] = new
        for unit, _ in dead.units.values():
            self._deaths[unit.key] += 1
            if self._deaths[unit.key] < _MOST_DEATHS:
                self._give(new, unit)
            else:
                message = f"the worker process died {_MOST_DEATHS} times while grading this"
                self._faults.append(Fault(unit.key, message))
