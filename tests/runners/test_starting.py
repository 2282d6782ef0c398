"""A child that cannot start is reported and leaves nothing open; a kernel may lack a layer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import accounts
import pytest

from grader.child import interpreter
from grader.child.protocol import (
    DEVICES,
    LANDLOCK,
    LIMITS,
    NO_THREADS,
    PRIVILEGES,
    SECCOMP,
    SIGNALS,
    TCP,
    TRUNCATE,
)
from grader.child.sandbox import landlock, privileges, tasks, trial
from grader.errors import SHORT, MachineError, UsageError
from grader.runners import again, choose, launch, reach
from grader.runners.zygote import ZygoteRunner

linux = pytest.mark.skipif(sys.platform != "linux", reason="zygotes and sandboxes need Linux")


def descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


@linux
@pytest.mark.parametrize(
    ("python", "error", "message"),
    [
        ("/nowhere/python", UsageError, "cannot start here"),
        ("/bin/false", MachineError, "did not start"),
    ],
)
def test_a_python_that_does_not_start_is_reported_without_open_descriptors(
    monkeypatch: pytest.MonkeyPatch, python: str, error: type[Exception], message: str
) -> None:
    before = descriptors()
    monkeypatch.setattr(sys, "executable", python)
    with pytest.raises(error, match=message):
        ZygoteRunner()
    assert descriptors() == before


@contextmanager
def few_descriptors() -> Iterator[None]:
    """Let this process open no descriptor above 66, so that no warm process can start."""
    import resource

    own = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (67, own[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, own)


@linux
def test_a_runner_that_cannot_start_now_is_a_fault_and_not_a_weaker_runner() -> None:
    before = descriptors()
    with few_descriptors(), pytest.raises(MachineError, match="Too many open files"):
        choose("auto")
    assert descriptors() == before


@linux
def test_a_runner_that_cannot_start_at_first_is_tried_again() -> None:
    with ThreadPoolExecutor(1) as pool:
        with few_descriptors():
            chosen = pool.submit(choose, "auto")
            time.sleep(0.2)
            assert not chosen.done()
        runner, note = chosen.result(30)
    with runner:
        assert (runner.name, note) == ("zygote", "")


@linux
@pytest.mark.parametrize("python", ["/bin/false", "/nowhere/python"])
def test_a_later_runner_of_a_run_is_never_a_weaker_one(
    monkeypatch: pytest.MonkeyPatch, python: str
) -> None:
    reached, _ = reach("auto", False)
    monkeypatch.setattr(sys, "executable", python)
    with pytest.raises(MachineError):
        again(reached)


def test_a_later_runner_that_reaches_other_layers_is_refused() -> None:
    reached, _ = reach("process", False)
    again(reached).close()
    with pytest.raises(MachineError, match="isolation changed during the run"):
        again(reached._replace(layers=(*reached.layers, "another")))


@linux
def test_a_fault_of_the_machine_exits_3_with_a_sentence(small_course: Path) -> None:
    ran = subprocess.run(
        ["prlimit", "--nofile=67", sys.executable, "-m", "grader", "grade", "--root", small_course],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 3, ran
    assert "Traceback" not in ran.stderr
    assert "help: This machine is short of memory or processes; try again." in ran.stderr


NO_PROC = 'mount -t tmpfs none /proc; exec "$@"'
NO_SHELL = 'mount --bind /dev/null "$(readlink -f /bin/sh)"; exec "$@"'


def grade_apart(
    script: str, course: Path, *options: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `grader grade` in a mount namespace of its own, after a shell script."""
    command = [sys.executable, "-m", "grader", "grade", "--root", str(course), *options]
    return accounts.run_apart(script, *command, **{"TMPDIR": str(course.parent), **environment})


@linux
def test_the_process_runner_needs_no_shell(small_course: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    ran = grade_apart(NO_SHELL, small_course, "--runner", "process", TMPDIR=str(scratch))
    assert ran.returncode in (0, 1), ran
    assert "Traceback" not in ran.stderr
    assert not list(scratch.iterdir())


@linux
@pytest.mark.parametrize("options", [["--runner", "zygote"], ["--require-isolation"]])
def test_a_missing_proc_is_named_where_code_must_be_confined(
    small_course: Path, options: list[str]
) -> None:
    ran = grade_apart(NO_PROC, small_course, *options)
    assert ran.returncode == 2, ran
    assert "the runner 'zygote' cannot confine here: missing /proc" in ran.stderr
    assert "help: Mount /proc." in ran.stderr
    assert "Traceback" not in ran.stderr


@linux
def test_a_missing_proc_allows_the_weaker_runner_where_isolation_is_optional(
    small_course: Path,
) -> None:
    ran = grade_apart(NO_PROC, small_course)
    assert ran.returncode in (0, 1), ran
    assert "missing /proc; 'process' guards against accidents only" in ran.stderr
    assert "Traceback" not in ran.stderr


@linux
def test_only_a_lack_of_the_machine_is_called_one() -> None:
    reached, _ = reach("process", False)
    with pytest.raises(MachineError) as changed:
        again(reached._replace(layers=()))
    with few_descriptors(), pytest.raises(MachineError) as lacking:
        choose("auto")
    assert (changed.value.advice, lacking.value.advice) == ("", SHORT)


@linux
def test_a_failed_early_start_is_not_reported_and_leaves_no_descriptors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = descriptors()
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    launch.start()
    assert descriptors() == before


@linux
def test_a_process_started_early_with_too_few_slots_is_replaced() -> None:
    launch.start(count=1)
    launched = launch.take(count=2)
    try:
        assert len(launched.slots) == 2
    finally:
        launch.close(launched)


def test_a_child_refuses_bytes_that_are_not_a_request() -> None:
    done = subprocess.run(
        launch.command("pipe", str(os.getpid())), input=bytes(64), capture_output=True
    )
    assert done.returncode == 1
    assert b"ValueError: not a request" in done.stderr


@linux
def test_a_trial_reports_no_landlock_on_a_kernel_without_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(landlock, "SUPPORTED", False)
    working = trial.measure()
    assert working & SECCOMP
    assert not working & (LANDLOCK | TRUNCATE | TCP | DEVICES | SIGNALS)


@linux
def test_a_trial_reports_no_layer_on_an_unsupported_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (trial, tasks):
        monkeypatch.setattr(module, "SUPPORTED", False)
    assert trial.measure() == 0
    assert tasks.TaskLimit().way == NO_THREADS


@linux
@pytest.mark.parametrize(
    ("version", "working"),
    [(1, 0), (2, 0), (3, TRUNCATE), (4, TRUNCATE | TCP), (5, TRUNCATE | TCP | DEVICES)],
)
def test_a_trial_measures_what_an_older_landlock_covers(
    monkeypatch: pytest.MonkeyPatch, version: int, working: int
) -> None:
    if landlock.abi() < version:
        pytest.skip(f"this kernel has Landlock ABI {landlock.abi()}")
    monkeypatch.setattr(landlock, "abi", lambda: version)
    found = trial.measure()
    assert found & (TRUNCATE | TCP | DEVICES | SIGNALS) == working
    assert found & LANDLOCK
    assert found & SECCOMP


@linux
@pytest.mark.parametrize(
    ("module", "name", "lost"),
    [
        (landlock, "restrict", LANDLOCK | TRUNCATE | TCP | DEVICES | SIGNALS),
        (privileges, "drop", PRIVILEGES),
        (interpreter, "lower_limits", LIMITS),
    ],
)
def test_a_layer_that_does_nothing_is_measured_as_missing(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str, lost: int
) -> None:
    if module is privileges and os.geteuid():
        pytest.skip("an ordinary user has no privileges to give up")
    complete = trial.measure()
    monkeypatch.setattr(module, name, lambda *_: privileges.no_new_privileges())
    assert trial.measure() == complete & ~lost


@linux
def test_a_trial_finds_every_layer_of_this_machines_landlock() -> None:
    """The other tests of the confined runner are skipped where it is missing."""
    version = landlock.abi()
    if not version:
        pytest.skip("this kernel has no Landlock")
    since = {LANDLOCK: 1, TRUNCATE: 3, TCP: 4, DEVICES: 5, SIGNALS: 6}
    expected = sum(bit for bit, first in since.items() if version >= first)
    assert trial.measure() == expected | SECCOMP | LIMITS | PRIVILEGES


@linux
def test_a_process_beyond_its_cpu_time_ends_by_sigxcpu_and_not_by_sigkill() -> None:
    """A SIGKILL that the grader did not send is then never the submission's doing."""
    script = (
        "import resource; from grader.child.interpreter import apply_limits;"
        "apply_limits({resource.RLIMIT_CPU: 1})\nwhile True: pass"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[2])
    assert done.returncode == -signal.SIGXCPU
