"""A child that cannot start is reported and leaves nothing open; a kernel may lack a layer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from grader.child.protocol import LANDLOCK, SECCOMP
from grader.child.sandbox import enter, landlock, seccomp
from grader.errors import UsageError
from grader.runners import launch
from grader.runners.zygote import ZygoteRunner

linux = pytest.mark.skipif(sys.platform != "linux", reason="zygotes and sandboxes need Linux")


def descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


@linux
@pytest.mark.parametrize(
    ("python", "message"), [("/nowhere/python", "cannot start here"), ("/bin/false", "did not")]
)
def test_a_python_that_does_not_start_is_reported_without_open_descriptors(
    monkeypatch: pytest.MonkeyPatch, python: str, message: str
) -> None:
    before = descriptors()
    monkeypatch.setattr(sys, "executable", python)
    with pytest.raises(UsageError, match=message):
        ZygoteRunner()
    assert descriptors() == before


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
    done = subprocess.run(launch.command("pipe"), input=bytes(64), capture_output=True)
    assert done.returncode == 1
    assert b"ValueError: not a request" in done.stderr


@linux
def test_trial_reports_only_seccomp_without_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "SUPPORTED", False)
    assert enter.trial() == SECCOMP


@linux
def test_trial_reports_no_layer_on_an_unsupported_processor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(landlock, "SUPPORTED", False)
    monkeypatch.setattr(seccomp, "SUPPORTED", False)
    assert enter.trial() == 0


@linux
def test_trial_reports_both_layers_on_this_machine() -> None:
    assert enter.trial() == LANDLOCK | SECCOMP
