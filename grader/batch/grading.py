"""Grade tasks, in a worker process of ours or on a Dask worker.

`TaskGrader` grades one task; `serve_worker` is the loop of a worker process: tasks come in, what
was graded goes out, until the pipe ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
import threading
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from grader import runners, submission
from grader.batch import serialise
from grader.batch.snapshot import Snapshot
from grader.batch.task import Fault, Graded, Running, Task
from grader.errors import Complaint, GraderError
from grader.model import Report
from grader.pipeline import ProblemGrader
from grader.runners import Runner


@dataclass(frozen=True, slots=True, eq=False)
class _Bench:
    """A runner, and a folder from which a submission is read."""

    runner: Runner
    scratch: Path


class TaskGrader:
    """Unpacked snapshots and runners. Units may be graded from several threads at once.

    Its files are in a folder of its own in `place`, or where the system has such folders.
    Raises GraderError when a snapshot is unsound or no runner does what was asked for.
    """

    def __init__(self, snapshots: Sequence[Snapshot], running: Running, place: str | None) -> None:
        self._running = running
        self._idle: list[_Bench] = []
        self._all: list[_Bench] = []
        self._lock = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(
            prefix="grader-", dir=place, ignore_cleanup_errors=True
        )
        self.note = ""
        try:
            self._idle.append(self._new_bench())
            self._graders = {
                snapshot.key: self._grader(snapshot, Path(self._folder.name) / str(number))
                for number, snapshot in enumerate(snapshots)
            }
        except BaseException:
            self.close()
            raise

    def grade(self, task: Task) -> Graded | Fault:
        """Grade a task; a runner that fails is replaced once."""
        for attempt in (1, 2):
            try:
                return self._grade(task)
            except Exception as error:  # whatever it is, the others must go on
                if attempt == 2:
                    return Fault(task.key, _said(error))
        raise AssertionError

    def close(self) -> None:
        """End every runner, also one that is at work, and remove the folder."""
        with self._lock:
            benches, self._all, self._idle = self._all, [], []
        for bench in benches:
            with contextlib.suppress(Exception):
                bench.runner.close()
        self._folder.cleanup()

    def _grade(self, task: Task) -> Graded:
        bench = self._take_bench()
        try:
            report = self._report(task, bench)
        except BaseException:
            self._drop(bench)
            raise
        with self._lock:
            self._idle.append(bench)
        return Graded(
            key=task.key,
            edition=task.edition,
            submission_hash=task.submission_hash,
            verdict=str(report.verdict),
            earned=str(report.earned),
            possible=str(report.possible),
            requirements=tuple(
                (
                    result.requirement.id,
                    str(result.verdict),
                    result.diagnosis.misconception if result.diagnosis else "",
                )
                for result in report.requirements
            ),
            report=serialise.pack_report(report),
        )

    def _report(self, task: Task, bench: _Bench) -> Report:
        grader = self._graders[task.edition]
        files = {**task.helpers, task.main: task.source}
        try:
            for name, data in files.items():
                (bench.scratch / name).write_bytes(data)
            path, entry_point = bench.scratch / task.main, grader.prepared.problem.entry_point
            read = submission.read(path, task.main, entry_point=entry_point)
        finally:
            for name in files:
                (bench.scratch / name).unlink(missing_ok=True)
        return grader.grade_read(read, task.main, bench.runner)

    def _grader(self, snapshot: Snapshot, root: Path) -> ProblemGrader:
        course, extra = snapshot.course(root)
        return ProblemGrader(course, snapshot.slug, extra, snapshot.reseed, snapshot.diagnoses)

    def _new_bench(self) -> _Bench:
        runner, self.note = runners.choose(self._running.runner, self._running.require_isolation)
        bench = _Bench(runner.__enter__(), Path(tempfile.mkdtemp(dir=self._folder.name)))
        with self._lock:
            self._all.append(bench)
        return bench

    def _take_bench(self) -> _Bench:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._new_bench()

    def _drop(self, bench: _Bench) -> None:
        with self._lock:
            if bench in self._all:
                self._all.remove(bench)
        with contextlib.suppress(Exception):
            bench.runner.close()


def _said(error: Exception) -> str:
    """Return an exception in one line, with the place in the grader that raised it."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """The worker can begin. `note` is for the user, or ''."""

    note: str


@dataclass(frozen=True, slots=True)
class WorkerUnfit:
    """The worker cannot work; what the user can fix."""

    complaints: tuple[Complaint, ...]


def serve_worker(
    pipe: Connection, snapshots: Sequence[Snapshot], running: Running, slots: int, place: str
) -> None:
    """Serve until the other side is gone, then end whatever is still running here.

    The parent removes the folder `place`, unless it was killed: then the last worker does.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    try:
        task_grader = TaskGrader(snapshots, running, place)
    except GraderError as error:
        pipe.send(WorkerUnfit(error.complaints))
        return
    lock = threading.Lock()

    def work(task: Task) -> None:
        graded = task_grader.grade(task)
        with lock:
            pipe.send(graded)

    # A task that hangs keeps its thread; the parent then sends another one.
    threads = ThreadPoolExecutor(slots)
    try:
        pipe.send(WorkerReady(task_grader.note))
        while True:
            threads.submit(work, pipe.recv())
    except (EOFError, OSError):
        task_grader.close()
        with suppress(OSError):
            Path(place).rmdir()
        os._exit(0)  # threads at work have nobody left to tell
