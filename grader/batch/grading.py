"""Grade tasks, in a worker process of ours or on a Dask worker.

`TaskGrader` grades several tasks at once with one runner; `serve` keeps it at work on what other
threads put into an `Inbox`; `serve_worker` is a worker process: tasks come in, what was graded goes
out, until the pipe ends.
"""

from __future__ import annotations

import os
import queue
import signal
import tempfile
import threading
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

from grader import grading, runners, submission
from grader.batch import serialise
from grader.batch.snapshot import Snapshot
from grader.batch.task import Fault, Graded, Result, Task
from grader.errors import Complaint, GraderError
from grader.model import Job, Report, Run, Submission
from grader.options import RunningOptions
from grader.pipeline import ProblemGrader
from grader.runners import ConcurrentRunner
from grader.runners.bell import Bell

SLOTS = 4
"""tasks at once for each that should work: that one, and three that may hang"""
_LOOK_SECONDS = 0.05
"""how often to look whether what is at work may hang, so that another task can begin"""
_IDLE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Begun:
    task: Task
    submission: Submission
    job: Job


class TaskGrader:
    """Unpacked snapshots and a runner with `jobs` tasks at once. Not for two threads at once.

    Its files are in a folder of its own in `place`, or where the system has such folders.
    Raises GraderError when a snapshot is unsound or no runner does what was asked for.
    """

    def __init__(
        self,
        snapshots: Sequence[Snapshot],
        running: RunningOptions,
        place: str | None,
        jobs: int = 1,
    ) -> None:
        self._running = running
        self._jobs = jobs
        self._runner: ConcurrentRunner | None = None
        self._waiting: deque[Task] = deque()
        self._begun: dict[int, _Begun] = {}
        """by the runner's ticket"""
        self._folder = tempfile.TemporaryDirectory(
            prefix="grader-", dir=place, ignore_cleanup_errors=True
        )
        self.begun = 0
        """how many tasks have begun so far"""
        try:
            self._runner, self.note = self._choose(running.runner)
            self.runner_name = self._runner.name
            self._graders = {
                snapshot.key: self._grader(snapshot, Path(self._folder.name) / str(number))
                for number, snapshot in enumerate(snapshots)
            }
        except BaseException:
            self.close()
            raise

    def add(self, task: Task) -> None:
        """Take a task; `step` begins with it when there is room."""
        self._waiting.append(task)

    def step(self, beside: Connection | None = None) -> list[tuple[Task, Result]]:
        """Begin what has room, wait for an end, and return each task that has ended.

        It waits no longer once `beside` can be read, which it must be given unless it has a task.
        """
        ended = self._begin()
        if not self._runner and not ended and beside:
            beside.poll(_IDLE_SECONDS)
        if ended or not self._runner:
            return ended
        timeout = _LOOK_SECONDS if self._waiting else _IDLE_SECONDS
        try:
            runs = self._runner.wait(timeout, beside)
        except Exception as error:  # whatever it is, the others must go on
            return self._again(error)
        finished = [(self._begun.pop(ticket), run) for ticket, run in runs.items()]
        ended = self._begin()  # so that children are at work while these are judged
        return ended + [(begun.task, self._result(begun, run)) for begun, run in finished]

    def close(self) -> None:
        """End the runner, also while it is at work, and remove the folder."""
        self._drop_runner()
        self._folder.cleanup()

    def _begin(self) -> list[tuple[Task, Result]]:
        """Begin with tasks as long as there is room; return those that have ended already."""
        ended: list[tuple[Task, Result]] = []
        while self._waiting:
            try:
                self._runner = self._runner or self._choose(self.runner_name)[0]
                if not self._runner.room:
                    break
            except Exception as error:
                task = self._waiting.popleft()
                ended.append((task, Fault(task.key, _said(error))))
                self.begun += 1
                continue
            ended += self._start(self._waiting.popleft(), self._runner)
            self.begun += 1
        return ended

    def _start(self, task: Task, runner: ConcurrentRunner) -> list[tuple[Task, Result]]:
        grader = self._graders[task.edition]
        try:
            read = submission.check(
                task.source,
                task.main,
                lambda module: task.helpers.get(f"{module}.py"),
                grader.prepared.problem.entry_point,
                is_notebook=task.main.endswith(submission.NOTEBOOK),
            )
            if not isinstance(read, Submission):
                report = grader.report(Run({}, refusal=read), task.main, runner)
                return [(task, _graded(task, report))]
            begun = _Begun(task, read, grading.job_of(grader.prepared, read))
        except Exception as error:
            return [(task, Fault(task.key, _said(error)))]
        try:
            self._begun[runner.submit(begun.job)] = begun
        except Exception as error:
            return self._again(error, begun)
        return []

    def _again(self, error: Exception, *more: _Begun) -> list[tuple[Task, Result]]:
        """Replace a runner that failed, and run each task that it had once more, alone."""
        suspects = [*self._begun.values(), *more]
        self._begun.clear()
        self._drop_runner()
        return [(begun.task, self._alone(begun, error)) for begun in suspects]

    def _alone(self, begun: _Begun, error: Exception) -> Result:
        try:
            self._runner = self._runner or self._choose(self.runner_name)[0]
            return self._result(begun, self._runner.run(begun.job))
        except Exception as worse:
            worse.__context__ = error
            self._drop_runner()
            return Fault(begun.task.key, _said(worse))

    def _result(self, begun: _Begun, run: Run) -> Result:
        task = begun.task
        try:
            assert self._runner
            run = grading.located(run, begun.submission)
            report = self._graders[task.edition].report(run, task.main, self._runner)
            return _graded(task, report)
        except Exception as error:
            return Fault(task.key, _said(error))

    def _grader(self, snapshot: Snapshot, root: Path) -> ProblemGrader:
        """Return the grader for a snapshot; the database keeps whole reports and hides them."""
        course, options = snapshot.course(root)
        return ProblemGrader(course, snapshot.slug, replace(options, reveal=True))

    def _choose(self, name: str) -> tuple[ConcurrentRunner, str]:
        """Return the runner and a note. After the first, none takes another one's place."""
        return runners.choose(
            name, self._running.require_isolation, self._jobs, (SLOTS - 1) * self._jobs
        )

    def _drop_runner(self) -> None:
        runner, self._runner = self._runner, None
        if runner:
            with suppress(Exception):
                runner.close()


def _graded(task: Task, report: Report) -> Graded:
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


def _said(error: Exception) -> str:
    """Return an exception in one line, with the place in the grader that raised it."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"


class Inbox:
    """Tasks from other threads for the one that grades."""

    def __init__(self) -> None:
        self.bell = Bell()
        self.is_closed = False
        self._tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()

    def put(self, task: Task) -> None:
        """Hand over a task."""
        self._tasks.put(task)
        self.bell.ring()

    def close(self) -> None:
        """Say that there will be no more tasks and that nobody waits for results."""
        self.is_closed = True
        self.bell.ring()

    def take(self) -> list[Task]:
        """Return what was put in since the last time."""
        self.bell.clear()
        return [self._tasks.get_nowait() for _ in range(self._tasks.qsize())]


def serve(
    task_grader: TaskGrader,
    inbox: Inbox,
    deliver: Callable[[list[tuple[Task, Result]]], None],
) -> None:
    """Grade what comes in until the inbox is closed; `deliver` gets what has ended or begun."""
    begun = 0
    while not inbox.is_closed:
        for task in inbox.take():
            task_grader.add(task)
        ended = task_grader.step(inbox.bell.heard)
        if ended or task_grader.begun != begun:
            begun = task_grader.begun
            deliver(ended)


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """The worker can begin. `note` is for the user, or ''."""

    note: str
    runner: str


@dataclass(frozen=True, slots=True)
class WorkerUnfit:
    """The worker cannot work; what the user can fix."""

    complaints: tuple[Complaint, ...]


@dataclass(frozen=True, slots=True)
class WorkerNews:
    """How many tasks the worker has begun in all, and what has ended since the last news."""

    begun: int
    results: tuple[Result, ...]


def serve_worker(
    pipe: Connection, snapshots: Sequence[Snapshot], running: RunningOptions, place: str
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
    inbox = Inbox()

    def deliver(ended: list[tuple[Task, Result]]) -> None:
        pipe.send(WorkerNews(task_grader.begun, tuple(result for _, result in ended)))

    # Reading beside, so that neither side waits for the other to read.
    threading.Thread(target=_receive, args=(pipe, inbox), daemon=True).start()
    with suppress(BrokenPipeError, ConnectionResetError):
        pipe.send(WorkerReady(task_grader.note, task_grader.runner_name))
        serve(task_grader, inbox, deliver)
    task_grader.close()
    with suppress(OSError):
        Path(place).rmdir()
    os._exit(0)


def _receive(pipe: Connection, inbox: Inbox) -> None:
    """Put what the parent sends into the inbox until it is gone."""
    with suppress(EOFError, OSError):
        while True:
            inbox.put(pipe.recv())
    inbox.close()
