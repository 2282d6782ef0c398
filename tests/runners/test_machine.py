"""What the machine refuses is tried again, and never becomes a verdict or a weaker runner."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import accounts
import pytest
from conftest import REPOSITORY

from grader.batch.pool import Pool
from grader.batch.snapshot import take
from grader.batch.task import Fault, Result, Task
from grader.catalog import Course
from grader.errors import MachineError
from grader.model import Job, Limits, Outcome
from grader.options import GradingOptions
from grader.runners import RUNNERS, ConcurrentRunner, reach
from grader.runners.zygote import ZygoteRunner

from .conftest import HONEST, ONE, PATIENT, UNTRUSTED, calls, submission
from .test_starting import few_descriptors

if sys.platform != "linux":
    pytest.skip("processes are found through /proc", allow_module_level=True)

HONEST_JOB = Job(submission(HONEST), "f", ONE, calls(2), PATIENT)
SLOW = "def f(X):\n    for _ in range(10**9): pass\n    return X\n"
SLOW_JOB = Job(submission(SLOW), "f", ONE, calls(1), PATIENT)


def children(pid: int) -> Iterator[tuple[int, float]]:
    """Yield the live children of a process, each with its seconds of processor time."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == pid and fields[0] != "Z":
                yield int(entry.name), (int(fields[11]) + int(fields[12])) / os.sysconf(2)


def parent_of_children(runner: Any) -> int:
    return runner._client._launched.pid if runner.name == "zygote" else os.getpid()


@contextmanager
def killing_busy_children(
    parent: Callable[[], int], kills: int, busy: float = 0.3
) -> Iterator[list[int]]:
    """Kill up to `kills` children that have computed for `busy` s, longer than an honest one."""
    killed: list[int] = []
    over = threading.Event()

    def hunt() -> None:
        while len(killed) < kills and not over.wait(0.01):
            for pid, seconds in children(parent()):
                if seconds > busy and pid not in killed:
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)

    hunter = threading.Thread(target=hunt)
    hunter.start()
    try:
        yield killed
    finally:
        over.set()
        hunter.join()


@pytest.fixture(params=UNTRUSTED)
def runner(request: pytest.FixtureRequest) -> Iterator[ConcurrentRunner]:
    made = RUNNERS[request.param]()()
    with made:
        yield made


def test_a_submission_whose_child_was_killed_twice_is_run_to_its_end(
    runner: ConcurrentRunner,
) -> None:
    source = "def f(X):\n    for _ in range(6 * 10**7): pass\n    return X * 2\n"
    job = Job(submission(source), "f", ONE, calls(1), PATIENT)
    with killing_busy_children(lambda: parent_of_children(runner), 2, 1.0) as killed:
        run = runner.run(job)
    assert len(killed) == 2
    assert run.executions["case-0"].outcome is Outcome.RETURNED


def test_a_confined_child_that_is_killed_every_time_is_a_fault_of_the_machine() -> None:
    with ZygoteRunner() as runner:
        hunting = killing_busy_children(lambda: parent_of_children(runner), 10**6)
        with hunting as killed, pytest.raises(MachineError, match="killed 3 times"):
            runner.run(SLOW_JOB)
        assert len(killed) == 3
        assert runner.run(HONEST_JOB).executions["case-1"].outcome is Outcome.RETURNED


def test_a_kill_at_the_limit_of_processor_time_is_the_submissions() -> None:
    limits = Limits(seconds=60.0, total_seconds=1.5, memory_mb=1000)
    source = """
        import threading
        import numpy as np
        def spin():
            X = np.ones((300, 300))
            while True:
                X = np.linalg.qr(X)[0]
        def f(X):
            for _ in range(2):
                threading.Thread(target=spin, daemon=True).start()
            spin()
        """
    with ZygoteRunner() as runner:
        run = runner.run(Job(submission(source), "f", ONE, calls(1), limits))
    assert run.executions["case-0"].outcome is Outcome.TIMED_OUT


REFUSED_FORK = """
    import json, resource, sys, threading, time
    sys.path.insert(0, TESTS)
    from runners.test_machine import HONEST_JOB
    from grader.errors import MachineError
    from grader.runners.zygote import ZygoteRunner

    def allow(tasks):
        resource.prlimit(zygote, resource.RLIMIT_NPROC, (tasks, own[1]))

    with ZygoteRunner(spare=0) as runner:
        runner.run(HONEST_JOB)
        zygote = runner._client._launched.pid
        own = resource.prlimit(zygote, resource.RLIMIT_NPROC)
        allow(1)
        try:
            runner.run(HONEST_JOB)
            said = ""
        except MachineError as error:
            said = str(error)
        threading.Timer(0.5, allow, (own[0],)).start()
        run = runner.run(HONEST_JOB)
        same = runner._client._launched.pid == zygote
    json.dump([said, [e.outcome.value for e in run.executions.values()], same], sys.stdout)
    """


def test_a_fork_that_the_kernel_refuses_is_tried_again() -> None:
    script = textwrap.dedent(REFUSED_FORK).replace("TESTS", repr(str(REPOSITORY / "tests")))
    printed = accounts.run([*accounts.python_of_nobody(), "-c", script])
    said, outcomes, is_same_zygote = json.loads(printed)
    assert said == "no child could be started: Resource temporarily unavailable"
    assert outcomes == ["returned", "returned"]
    assert is_same_zygote


def test_a_child_waits_for_the_slot_of_an_idle_one_with_other_limits() -> None:
    with ZygoteRunner(spare=0) as runner:  # one slot
        runner._prepare(HONEST_JOB)
        other = Job(submission(HONEST), "f", ONE, calls(1), Limits(memory_mb=400))
        assert runner.run(other).executions["case-0"].outcome is Outcome.RETURNED


def test_a_child_that_is_killed_before_it_reads_its_request_is_replaced() -> None:
    with ZygoteRunner() as runner:
        runner._prepare(HONEST_JOB)
        warm = parent_of_children(runner)
        while not list(children(warm)):
            time.sleep(0.01)
        for pid, _ in children(warm):
            os.kill(pid, signal.SIGSTOP)
        ticket = runner.submit(HONEST_JOB)  # it reaches the stopped child
        for pid, _ in children(warm):
            os.kill(pid, signal.SIGKILL)
        ended = runner.wait(60.0)[ticket]
        assert not isinstance(ended, MachineError)
        assert ended.executions["case-0"].outcome is Outcome.RETURNED


def test_a_child_of_the_process_runner_that_cannot_start_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with RUNNERS["process"]()() as runner:
        runner.run(HONEST_JOB)
        with few_descriptors():
            holding = []
            with suppress(OSError):
                while True:
                    holding.append(os.open("/dev/null", os.O_RDONLY))
            with pytest.raises(MachineError):
                runner.run(HONEST_JOB)
            for number in holding:
                os.close(number)
        assert runner.run(HONEST_JOB).executions["case-0"].outcome is Outcome.RETURNED
    assert not list(tmp_path.iterdir())


def test_a_zygote_that_cannot_be_replaced_now_is_replaced_later() -> None:
    with ZygoteRunner() as runner:
        os.kill(parent_of_children(runner), signal.SIGKILL)
        with few_descriptors(), pytest.raises(MachineError, match="cannot start now"):
            runner.run(HONEST_JOB)
        assert runner.run(HONEST_JOB).executions["case-0"].outcome is Outcome.RETURNED


EVIL = "def project(X, W, bias=None):\n    for _ in range(10**10): pass\n"
RIGHT = "def project(X, W, bias=None):\n    return X @ W if bias is None else X @ W + bias\n"


def test_a_fault_of_one_submission_does_not_keep_the_others_from_being_printed(
    small_course: Path, tmp_path: Path
) -> None:
    problem = small_course / "problems" / "projection" / "problem.yaml"
    limits = "limits: {seconds: 100, total_seconds: 200}"
    problem.write_text(problem.read_text().replace("limits: {seconds: 2}", limits))
    for name, source in {"a": RIGHT, "evil": EVIL, "b": RIGHT}.items():
        (tmp_path / f"{name}.py").write_text(source)
    files = [str(tmp_path / f"{name}.py") for name in ("a", "evil", "b")]
    argv = ["grade", *files, "--problem", "projection", "--root", str(small_course)]
    with subprocess.Popen(
        [sys.executable, "-m", "grader", *argv, "--runner", "zygote", "--format", "json"],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as grader:

        def warm() -> int:
            return next((pid for pid, _ in children(grader.pid)), -1)

        with killing_busy_children(warm, 10**6):
            out, err = grader.communicate(timeout=300)
    assert grader.returncode == 3, err
    reports = json.loads(out)["reports"]
    assert [Path(report["submission"]).stem for report in reports] == ["a", "b"]
    assert [report["verdict"] for report in reports] == ["passed", "passed"]
    assert "evil.py was not graded:" in err
    assert "Traceback" not in err


def test_a_batch_gives_one_more_try_to_a_submission_that_was_killed_every_time(
    small_course: Path,
) -> None:
    problem = small_course / "problems" / "projection" / "problem.yaml"
    limits = "limits: {seconds: 100, total_seconds: 200}"
    problem.write_text(problem.read_text().replace("limits: {seconds: 2}", limits))
    snapshot = take(Course(small_course), "projection", GradingOptions())
    reached, _ = reach("zygote", True)
    results: list[Result] = []

    def warm() -> int:
        workers = [each.pid or -1 for each in multiprocessing.active_children()]
        return next((pid for worker in workers for pid, _ in children(worker)), -1)

    with Pool(1, [snapshot], reached) as pool:
        while not pool.has_room:
            results += pool.results()
        with killing_busy_children(warm, 10**6) as killed:
            pool.submit(Task(snapshot.key, "projection.py", EVIL.encode(), reached))
            while not results:
                results += pool.results()
    (fault,) = results
    assert isinstance(fault, Fault)
    assert "killed 3 times" in fault.message
    assert len(killed) == 6


class OnceDeaf(ZygoteRunner):
    """Fails once to listen to its children, while one of them runs a job."""

    failures = 0

    def _listen(self, timeout: float, beside: Any) -> bool:
        if not self.failures:
            self.failures += 1
            raise MachineError("no child could enter the sandbox")
        return super()._listen(timeout, beside)


def test_a_job_whose_runner_failed_is_ended_before_it_is_run_again() -> None:
    runner = OnceDeaf()
    with runner:
        assert runner.run(HONEST_JOB).executions["case-1"].outcome is Outcome.RETURNED
        assert runner.failures == 1
        assert runner.wait(0.5) == {}


def test_a_zygote_that_is_replaced_by_one_with_other_layers_is_refused() -> None:
    with ZygoteRunner() as runner:
        runner.isolation = before = (*runner.isolation, "another")
        os.kill(parent_of_children(runner), signal.SIGKILL)
        with pytest.raises(MachineError, match="isolation changed during the run"):
            runner.run(HONEST_JOB)
        assert runner.isolation == before
