"""Signals to the grader end it without a traceback, a process or a file that stays."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import REPOSITORY

if sys.platform != "linux":
    pytest.skip("processes are found through /proc", allow_module_level=True)

HANGS = "def project(X, W, bias=None):\n    while True:\n        pass\n"


@contextmanager
def grading(course: Path, scratch: Path, *argv: str) -> Iterator[subprocess.Popen[str]]:
    """Run a command of the grader in a process of its own, with `scratch` for temporary files."""
    with subprocess.Popen(
        [sys.executable, "-m", "grader", *argv, "--root", str(course)],
        cwd=REPOSITORY,
        env=os.environ | {"TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def started(pid: int) -> tuple[int, str] | None:
    """Return a process's parent and the time of its start; None after its end."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (int(fields[1]), fields[19])


def below(pid: int) -> dict[int, str]:
    """Return the live descendants of a process with the times of their starts."""
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (each := started(int(entry.name))) and each[0] == pid:
            found |= {int(entry.name): each[1]} | below(int(entry.name))
    return found


def lives(pid: int, since: str) -> bool:
    each = started(pid)
    return each is not None and each[1] == since


def until(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    ends = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > ends:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture
def hanging_course(small_course: Path) -> Path:
    problem = small_course / "problems" / "projection" / "problem.yaml"
    limits = "limits: {seconds: 100, total_seconds: 200}"
    problem.write_text(problem.read_text().replace("limits: {seconds: 2}", limits))
    (small_course / "solutions" / "projection.py").write_text(HANGS)
    return small_course


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("runner", ["zygote", "process"])
@pytest.mark.parametrize("command", ["grade", "batch"])
def test_a_signal_leaves_no_process_and_no_folder(
    hanging_course: Path, scratch: Path, tmp_path: Path, runner: str, number: int, command: str
) -> None:
    argv = [command, "--runner", runner]
    if command == "batch":
        database = str(tmp_path / "class.db")
        argv += [str(hanging_course / "solutions"), "--jobs", "1", "--database", database]
    # A warm process or a keeper, and a child; before them a worker, its tracker, another keeper.
    enough = 2 if command == "grade" else 5
    with grading(hanging_course, scratch, *argv) as process:
        assert until(lambda: len(below(process.pid)) >= enough), below(process.pid)
        time.sleep(0.3)
        everybody = below(process.pid)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    code = -number if number == signal.SIGKILL else 128 + number
    assert (process.returncode, "Traceback" in err) == (code, False), err
    assert until(lambda: not any(lives(*one) for one in everybody.items())), everybody
    assert until(lambda: not list(scratch.iterdir())), list(scratch.rglob("*"))


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core needs no workers")
def test_a_killed_audit_takes_its_workers_along(scratch: Path) -> None:
    with grading(
        REPOSITORY, scratch, "audit", "multi_head_attention", "--reseeds", "50"
    ) as process:
        assert until(lambda: len(below(process.pid)) >= 2), below(process.pid)
        workers = below(process.pid)
        process.kill()
        process.communicate(timeout=60)
    assert until(lambda: not any(lives(*one) for one in workers.items())), workers


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_the_grader_starts_prints_no_traceback(
    small_course: Path, scratch: Path, number: int
) -> None:
    draw = random.Random(3)
    for _ in range(8):
        with grading(small_course, scratch, "grade") as process:
            assert until(lambda: handles_signals(process.pid))
            time.sleep(draw.uniform(0.0, 0.3))
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
        assert "Traceback" not in err
        assert process.returncode in (128 + number, 1)  # 1: it had ended before
        if process.returncode != 1:
            assert "interrupted" in err
    assert until(lambda: not list(scratch.iterdir()))


def handles_signals(pid: int) -> bool:
    """Return whether the process has a handler for SIGTERM."""
    text = Path(f"/proc/{pid}/status").read_text()
    caught = int(text.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught & 1 << signal.SIGTERM - 1)


def test_an_ignored_signal_stays_ignored(small_course: Path, scratch: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with grading(small_course, scratch, "grade") as process:
            assert until(lambda: handles_signals(process.pid))
            process.send_signal(signal.SIGHUP)
            process.communicate(timeout=60)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert process.returncode == 1
