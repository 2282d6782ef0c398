"""A place where units of work are graded: the same in a process of ours and on a Dask worker."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from grader import runners, submission
from grader.batch import record
from grader.batch.snapshot import Snapshot
from grader.batch.unit import Fault, Graded, Running, Unit
from grader.model import Report
from grader.runners import Runner
from grader.session import ProblemGrader


class Workshop:
    """Unpacked snapshots and runners. Units may be graded from several threads at once.

    Raises GraderError when a snapshot is unsound or no runner does what was asked for.
    """

    def __init__(self, snapshots: Sequence[Snapshot], running: Running) -> None:
        self._running = running
        self._idle: list[Runner] = []
        self._all: list[Runner] = []
        self._lock = threading.Lock()
        self._folder = tempfile.TemporaryDirectory(prefix="grader-", ignore_cleanup_errors=True)
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

    def grade(self, unit: Unit) -> Graded | Fault:
        """Grade a unit; a runner that fails is replaced once."""
        for attempt in (1, 2):
            try:
                return self._grade(unit)
            except Exception as error:  # whatever it is, the others must go on
                if attempt == 2:
                    return Fault(unit.key, f"{type(error).__name__}: {error}")
        raise AssertionError

    def close(self) -> None:
        """End every runner, also one that is at work, and remove the folder."""
        with self._lock:
            runners, self._all, self._idle = self._all, [], []
        for runner in runners:
            with contextlib.suppress(Exception):
                runner.close()
        self._folder.cleanup()

    def _grade(self, unit: Unit) -> Graded:
        runner = self._take_runner()
        try:
            report = self._report(unit, runner)
        except BaseException:
            self._drop(runner)
            raise
        with self._lock:
            self._idle.append(runner)
        return Graded(
            key=unit.key,
            exam=unit.exam,
            submission_hash=unit.submission_hash,
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
            report=record.pack_report(report),
        )

    def _report(self, unit: Unit, runner: Runner) -> Report:
        grader = self._graders[unit.exam]
        with tempfile.TemporaryDirectory(dir=self._folder.name) as scratch:
            for name, data in {**unit.helpers, unit.main: unit.source}.items():
                (Path(scratch) / name).write_bytes(data)
            path, entry_point = Path(scratch) / unit.main, grader.exam.problem.entry_point
            read = submission.read(path, unit.main, entry_point=entry_point)
        return grader.grade_read(read, unit.main, runner)

    def _grader(self, snapshot: Snapshot, root: Path) -> ProblemGrader:
        course, extra = snapshot.course(root)
        return ProblemGrader(course, snapshot.slug, extra, snapshot.reseed, snapshot.diagnoses)

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
