"""A place where units of work are graded: the same in a process of ours and on a Dask worker."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader import runners, submission
from grader.batch import record
from grader.batch.snapshot import Snapshot
from grader.batch.unit import Fault, Graded, Running, Unit
from grader.model import Report
from grader.runners import Runner
from grader.session import ProblemGrader


@dataclass(frozen=True, slots=True, eq=False)
class _Bench:
    """A runner, and a folder from which a submission is read."""

    runner: Runner
    scratch: Path


class Workshop:
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

    def grade(self, unit: Unit) -> Graded | Fault:
        """Grade a unit; a runner that fails is replaced once."""
        for attempt in (1, 2):
            try:
                return self._grade(unit)
            except Exception as error:  # whatever it is, the others must go on
                if attempt == 2:
                    return Fault(unit.key, _said(error))
        raise AssertionError

    def close(self) -> None:
        """End every runner, also one that is at work, and remove the folder."""
        with self._lock:
            benches, self._all, self._idle = self._all, [], []
        for bench in benches:
            with contextlib.suppress(Exception):
                bench.runner.close()
        self._folder.cleanup()

    def _grade(self, unit: Unit) -> Graded:
        bench = self._take_bench()
        try:
            report = self._report(unit, bench)
        except BaseException:
            self._drop(bench)
            raise
        with self._lock:
            self._idle.append(bench)
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

    def _report(self, unit: Unit, bench: _Bench) -> Report:
        grader = self._graders[unit.exam]
        files = {**unit.helpers, unit.main: unit.source}
        try:
            for name, data in files.items():
                (bench.scratch / name).write_bytes(data)
            path, entry_point = bench.scratch / unit.main, grader.exam.problem.entry_point
            read = submission.read(path, unit.main, entry_point=entry_point)
        finally:
            for name in files:
                (bench.scratch / name).unlink(missing_ok=True)
        return grader.grade_read(read, unit.main, bench.runner)

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
