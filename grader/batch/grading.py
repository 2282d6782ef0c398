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
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

from grader import runners, submission
from grader.batch import serialise
from grader.batch.snapshot import Snapshot
from grader.batch.task import Fault, Graded, Task
from grader.errors import Complaint, GraderError
from grader.model import Report
from grader.options import RunningOptions
from grader.pipeline import ProblemGrader
from grader.runners import Runner


class TaskGrader:
    """Unpacked snapshots and runners. Units may be graded from several threads at once.

    Its files are in a folder of its own in `place`, or where the system has such folders.
    Raises GraderError when a snapshot is unsound or no runner does what was asked for.
    """

    def __init__(
        self, snapshots: Sequence[Snapshot], running: RunningOptions, place: str | None
    ) -> None:
        self._running = running
        self._idle: list[Runner] = []
        self._all: list[Runner] = []
        self._lock = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(
            prefix="grader-", dir=place, ignore_cleanup_errors=True
        )
        self.note = ""
        try:
            self._idle.append(self._new_runner())
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
            started, self._all, self._idle = self._all, [], []
        for runner in started:
            with contextlib.suppress(Exception):
                runner.close()
        self._folder.cleanup()

    def _grade(self, task: Task) -> Graded:
        runner = self._take_runner()
        try:
            report = self._report(task, runner)
        except BaseException:
            self._drop(runner)
            raise
        with self._lock:
            self._idle.append(runner)
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

    def _report(self, task: Task, runner: Runner) -> Report:
        grader = self._graders[task.edition]
        checked = submission.check(
            task.source,
            task.main,
            lambda module: task.helpers.get(f"{module}.py"),
            grader.prepared.problem.entry_point,
            is_notebook=task.main.endswith(submission.NOTEBOOK),
        )
        return grader.grade_read(checked, task.main, runner)

    def _grader(self, snapshot: Snapshot, root: Path) -> ProblemGrader:
        """Return the grader for a snapshot; the database keeps whole reports and hides them."""
        course, options = snapshot.course(root)
        return ProblemGrader(course, snapshot.slug, replace(options, reveal=True))

    def _new_runner(self) -> Runner:
        runner, self.note = runners.choose(self._running.runner, self._running.require_isolation)
        runner.__enter__()
        with self._lock:
            self._all.append(runner)
        return runner

    def _take_runner(self) -> Runner:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._new_runner()

    def _drop(self, runner: Runner) -> None:
        with self._lock:
            if runner in self._all:
                self._all.remove(runner)
        with contextlib.suppress(Exception):
            runner.close()


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
    pipe: Connection, snapshots: Sequence[Snapshot], running: RunningOptions, slots: int, place: str
) -> None:
    """Serve until the other side is gone, then end whatever is still running here.

    The folder `place` belongs to this worker alone and is removed at the end.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    try:
        task_grader = TaskGrader(snapshots, running, place)
    except GraderError as error:
        with suppress(OSError):  # the other side may be gone
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
