"""Grade a class on a real Dask cluster on loopback: a scheduler and workers, some of them killed.

Needs the extra `dask`; `make test-dask` installs it and runs these tests.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import generated
import pytest
from classroom import (
    REPOSITORY,
    batch,
    count,
    limited,
    outcome,
    query,
    started,
    wait_for_results,
    wait_until,
)

pytestmark = pytest.mark.dask


class _Process(subprocess.Popen[str]):
    """A Dask process; it writes its output to a file, since an unread pipe would block it."""

    def __init__(self, place: Path, *argv: str) -> None:
        self.log = place / f"dask-{time.monotonic_ns()}.log"
        with self.log.open("w") as log:
            super().__init__(
                [sys.executable, "-m", "dask", *argv],
                cwd=REPOSITORY,
                stdout=log,
                stderr=log,
                text=True,
            )

    def await_line(self, pattern: str) -> str:
        """Wait until the output matches the pattern; return the match."""
        wait_until(lambda: re.search(pattern, self.log.read_text()) or self.poll() is not None)
        found = re.search(pattern, self.log.read_text())
        assert found, self.log.read_text()
        return found[found.lastindex or 0]


class DaskCluster:
    """A scheduler and its workers, each in its own process."""

    def __init__(self, place: Path, stack: ExitStack) -> None:
        self._place = place
        self._stack = stack
        self.workers: list[_Process] = []
        self.scheduler = self._start("scheduler", "--host=127.0.0.1", "--port=0", "--no-dashboard")
        self.address = self.scheduler.await_line(r"Scheduler at:\s+(tcp://\S+)")

    def add_worker(self) -> None:
        """Start a worker with one thread, and wait until it has joined."""
        options = ["--nthreads=1", "--no-nanny", "--no-dashboard", "--host=127.0.0.1"]
        folder = f"--local-directory={self._place}"
        self.workers.append(self._start("worker", self.address, *options, folder))
        self.workers[-1].await_line("Registered to:")

    def _start(self, *argv: str) -> _Process:
        process = self._stack.enter_context(_Process(self._place, *argv))
        self._stack.callback(process.kill)
        return process


@contextmanager
def cluster(place: Path, workers: int = 2) -> Iterator[DaskCluster]:
    """Run a cluster on loopback; end its remaining processes."""
    with ExitStack() as stack:
        found = DaskCluster(place, stack)
        for _ in range(workers):
            found.add_worker()
        yield found


def test_a_worker_killed_during_a_run_loses_and_changes_no_result(
    small_course: Path, tmp_path: Path
) -> None:
    learners = generated.write(tmp_path / "class", 120)
    here, there = tmp_path / "here.db", tmp_path / "there.db"
    assert batch(small_course, learners, "--database", here, "--jobs", "2").code == 1
    with (
        cluster(tmp_path) as dask,
        started(small_course, learners, "--database", there, "--dask", dask.address) as run,
    ):
        wait_for_results(run, there, 20)
        dask.workers[0].send_signal(signal.SIGKILL)
        _, err = run.communicate()
    assert run.returncode == 1, err
    assert query(there, "SELECT count(*), count(DISTINCT key) FROM results") == [(120, 120)]
    assert outcome(small_course, there) == outcome(small_course, here)


def test_a_local_run_continues_after_all_workers_are_gone(
    small_course: Path, tmp_path: Path, visible: Path
) -> None:
    course = limited(small_course, 300)
    learners = generated.write(tmp_path / "class", 119, ("right",))
    generated.write_waiting(learners, ["wait"], visible / "signal")
    database = tmp_path / "c.db"
    with (
        cluster(tmp_path) as dask,
        started(course, learners, "--database", database, "--dask", dask.address) as run,
    ):
        wait_for_results(run, database, 20)
        dask.scheduler.kill()
        for worker in dask.workers:
            worker.kill()
        _, err = run.communicate()
    assert run.returncode == 2, err
    assert "Run the same command again; finished grades are kept." in err
    done = count(database)
    assert 20 <= done < 120
    (visible / "signal").touch()
    ran = batch(course, learners, "--database", database)
    assert f"{120 - done} to grade; {done} graded before" in ran.err
    assert ran.code == 0


def test_hanging_submissions_do_not_delay_others_on_a_worker(
    small_course: Path, tmp_path: Path
) -> None:
    folder = generated.write(tmp_path / "class", 10, ("right",))
    for number in range(2):
        (folder / f"a-hang-{number}").mkdir()
        (folder / f"a-hang-{number}" / "projection.py").write_text(f"{generated.HANGS}# {number}\n")
    database = tmp_path / "c.db"
    with cluster(tmp_path, workers=1) as dask:
        assert batch(small_course, folder, "--database", database, "--dask", dask.address).code == 1
    order = query(
        database,
        "SELECT learner FROM results JOIN learners ON learners.result = results.key"
        " ORDER BY results.rowid",
    )
    assert [learner[:2] for (learner,) in order[-2:]] == ["a-", "a-"]


def test_a_worker_that_joins_later_grades(small_course: Path, tmp_path: Path) -> None:
    learners = generated.write(tmp_path / "class", 200, ("right",))
    database = tmp_path / "c.db"
    with (
        cluster(tmp_path, workers=1) as dask,
        started(small_course, learners, "--database", database, "--dask", dask.address) as run,
    ):
        wait_for_results(run, database, 5)
        dask.add_worker()
        dask.workers[0].kill()
        _, err = run.communicate()
    assert run.returncode == 0, err
    assert count(database) == 200


def test_an_unsound_course_exits_2_as_in_a_local_run(small_course: Path, tmp_path: Path) -> None:
    learners = generated.write(tmp_path / "class", 1, ("right",))
    reference = small_course / "problems" / "projection" / "reference.py"
    reference.write_text("def project(X, W, bias=None):\n    return X / 0\n")
    with cluster(tmp_path, workers=1) as dask:
        ran = batch(small_course, learners, "--dask", dask.address)
    assert ran.code == 2
    assert "cases/projection/product.yaml:3:5" in ran.err


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense://"])
def test_an_unreachable_scheduler_exits_2(address: str, small_course: Path, tmp_path: Path) -> None:
    learners = generated.write(tmp_path / "class", 1, ("right",))
    ran = batch(small_course, learners, "--dask", address)
    assert ran.code == 2
    assert f"no Dask scheduler at {address}" in ran.err


def test_a_cluster_without_workers_exits_2(small_course: Path, tmp_path: Path) -> None:
    learners = generated.write(tmp_path / "class", 1, ("right",))
    with cluster(tmp_path, workers=0) as dask:
        ran = batch(small_course, learners, "--dask", dask.address)
    assert ran.code == 2
    assert "it has no worker" in ran.err
