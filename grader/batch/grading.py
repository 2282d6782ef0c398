"""Grade tasks in a worker process of a `Pool` or on a Dask worker.

`TaskGrader` grades several tasks at once with one runner. `serve` grades the tasks that other
threads put into an `Inbox`. `serve_worker` is the main function of a worker process: it reads tasks
from a pipe and writes results to it.
"""

from __future__ import annotations

import os
import queue
import signal
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
from grader.errors import Complaint, GraderError, MachineError
from grader.files import temporary_folder
from grader.model import Job, Report, Run, Submission
from grader.pipeline import ProblemGrader
from grader.runners import ConcurrentRunner, Reached
from grader.runners.bell import Bell

SLOTS = 4
"""tasks at once for each job: one that runs and three that may hang"""
_LOOK_SECONDS = 0.05
"""how often to check whether a task may hang, so that another one can start besides"""
_IDLE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class _Begun:
    task: Task
    submission: Submission
    job: Job


class TaskGrader:
    """Grades tasks with a runner that runs `jobs` submissions at once. Not thread-safe.

    Each of its runners reaches `reached`. It unpacks the snapshots into a new folder in `place`, or
    in the system's temporary folder. Raises GraderError when a snapshot is invalid.
    """

    def __init__(
        self,
        snapshots: Sequence[Snapshot],
        reached: Reached,
        place: str | None,
        jobs: int = 1,
    ) -> None:
        self._reached = reached
        self._jobs = jobs
        self._runner: ConcurrentRunner | None = None
        self._waiting: deque[Task] = deque()
        self._begun: dict[int, _Begun] = {}
        """the runner's ticket -> the task and its job"""
        self._folder = temporary_folder(place)
        self.begun = 0
        """how many tasks were started so far"""
        try:
            with suppress(MachineError):  # `step` tries again
                self._runner = self._start_runner()
            self._graders = {
                snapshot.key: self._grader(snapshot, Path(self._folder.name) / str(number))
                for number, snapshot in enumerate(snapshots)
            }
        except BaseException:
            self.close()
            raise

    def add(self, task: Task) -> None:
        """Queue a task; `step` starts it when the runner has room."""
        self._waiting.append(task)

    def step(self, beside: Connection | None = None) -> list[tuple[Task, Result]]:
        """Start queued tasks while there is room, wait, and return the finished ones.

        Returns when a task has finished or `beside` becomes readable. Without any task, `beside` is
        required. A fault of the grader becomes a `Fault`; nothing is raised.
        """
        ended = self._begin()
        if not self._runner and not ended and beside:
            beside.poll(_IDLE_SECONDS)
        if ended or not self._runner:
            return ended
        timeout = _LOOK_SECONDS if self._waiting else _IDLE_SECONDS
        try:
            runs = self._runner.wait(timeout, beside)
        except Exception as error:  # the other tasks must go on after any fault
            return self._again(error)
        finished = [(self._begun.pop(ticket), run) for ticket, run in runs.items()]
        ended = self._begin()  # children run while the finished tasks are judged
        return ended + [(begun.task, self._result(begun, run)) for begun, run in finished]

    def close(self) -> None:
        """Close the runner, which ends unfinished tasks, and remove the folder."""
        self._drop_runner()
        self._folder.cleanup()

    def _begin(self) -> list[tuple[Task, Result]]:
        """Start queued tasks while there is room; return those that finished at once."""
        ended: list[tuple[Task, Result]] = []
        while self._waiting:
            try:
                self._runner = self._runner or self._start_runner()
                if not self._runner.room:
                    break
            except Exception as error:
                task = self._waiting.popleft()
                ended.append((task, _fault(task, error)))
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
            return [(task, _fault(task, error))]
        try:
            self._begun[runner.submit(begun.job)] = begun
        except Exception as error:
            return self._again(error, begun)
        return []

    def _again(self, error: Exception, *more: _Begun) -> list[tuple[Task, Result]]:
        """Replace a runner that raised, and run each of its tasks once more, one at a time."""
        suspects = [*self._begun.values(), *more]
        self._begun.clear()
        self._drop_runner()
        return [(begun.task, self._alone(begun, error)) for begun in suspects]

    def _alone(self, begun: _Begun, error: Exception) -> Result:
        try:
            self._runner = self._runner or self._start_runner()
            return self._result(begun, self._runner.run(begun.job))
        except Exception as worse:
            worse.__context__ = error
            self._drop_runner()
            return _fault(begun.task, worse)

    def _result(self, begun: _Begun, run: Run | MachineError) -> Result:
        task = begun.task
        if isinstance(run, MachineError):
            return _fault(task, run)
        try:
            assert self._runner
            run = grading.located(run, begun.submission)
            report = self._graders[task.edition].report(run, task.main, self._runner)
            return _graded(task, report)
        except Exception as error:
            return _fault(task, error)

    def _grader(self, snapshot: Snapshot, root: Path) -> ProblemGrader:
        """Return the grader for a snapshot; redaction happens after reading the database."""
        course, options = snapshot.course(root)
        return ProblemGrader(course, snapshot.slug, replace(options, reveal=True))

    def _start_runner(self) -> ConcurrentRunner:
        return runners.again(self._reached, self._jobs, (SLOTS - 1) * self._jobs)

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


def _fault(task: Task, error: Exception) -> Fault:
    """Return the fault of a task, on one line; the grader's own with the file and line."""
    if isinstance(error, MachineError):
        return Fault(task.key, " ".join(str(error).split()), True, error.tried)
    place = traceback.extract_tb(error.__traceback__)[-1]
    message = f"{type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
    return Fault(task.key, message)


class Inbox:
    """A queue of tasks from other threads for the thread that grades."""

    def __init__(self) -> None:
        self.bell = Bell()
        self.is_closed = False
        self._tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()

    def put(self, task: Task) -> None:
        """Queue a task."""
        self._tasks.put(task)
        self.bell.ring()

    def close(self) -> None:
        """Stop `serve`: there are no more tasks and results are not needed."""
        self.is_closed = True
        self.bell.ring()

    def take(self) -> list[Task]:
        """Return the tasks that were queued since the last call."""
        self.bell.clear()
        return [self._tasks.get_nowait() for _ in range(self._tasks.qsize())]


def serve(
    task_grader: TaskGrader,
    inbox: Inbox,
    deliver: Callable[[list[tuple[Task, Result]]], None],
) -> None:
    """Grade tasks of the inbox until it is closed.

    `deliver` is called with the finished tasks, which may be none, after tasks finish or start.
    """
    begun = 0
    while not inbox.is_closed:
        for task in inbox.take():
            task_grader.add(task)
        ended = task_grader.step(inbox.bell.heard)
        if ended or task_grader.begun != begun:
            begun = task_grader.begun
            deliver(ended)


@dataclass(frozen=True, slots=True)
class WorkerUp:
    """The worker has started and waits for the snapshots."""


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """The worker is ready for tasks."""


@dataclass(frozen=True, slots=True)
class WorkerUnfit:
    """The worker cannot grade for reasons that the user can fix."""

    complaints: tuple[Complaint, ...]


@dataclass(frozen=True, slots=True)
class WorkerNews:
    """The number of tasks that the worker has started in all, and its new results."""

    begun: int
    results: tuple[Result, ...]


def serve_worker(pipe: Connection, reached: Reached, place: str) -> None:
    """Grade tasks from the pipe until the parent closes it, then exit the process.

    The parent sends the snapshots first. Unfinished tasks are ended. The folder `place` belongs to
    this worker and is removed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    try:
        pipe.send(WorkerUp())
        snapshots = pipe.recv()
    except (EOFError, OSError):
        return  # the parent ended
    try:
        task_grader = TaskGrader(snapshots, reached, place)
    except GraderError as error:
        with suppress(OSError):  # the parent may have ended
            pipe.send(WorkerUnfit(error.complaints))
        return
    inbox = Inbox()

    def deliver(ended: list[tuple[Task, Result]]) -> None:
        pipe.send(WorkerNews(task_grader.begun, tuple(result for _, result in ended)))

    # A thread reads the pipe, so that the two processes cannot wait for each other to read.
    threading.Thread(target=_receive, args=(pipe, inbox), daemon=True).start()
    with suppress(BrokenPipeError, ConnectionResetError):
        pipe.send(WorkerReady())
        serve(task_grader, inbox, deliver)
    task_grader.close()
    with suppress(OSError):
        Path(place).rmdir()
    os._exit(0)


def _receive(pipe: Connection, inbox: Inbox) -> None:
    """Queue the parent's tasks until it closes the pipe, then close the inbox."""
    with suppress(EOFError, OSError):
        while True:
            inbox.put(pipe.recv())
    inbox.close()
