"""Commands that run as another user, in a PID namespace or in a mount namespace of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy
import pytest

REPOSITORY = Path(__file__).parents[1]
_NOBODY = ["--reuid=65534", "--regid=65534", "--clear-groups"]
_START_AGAIN = """
import subprocess, sys, numpy, grader.cli
subprocess.check_call([sys.executable, "-c", "print('ready')"])
"""
"""setpriv itself still reads root's folders when it starts Python; a second start shows"""


def environment() -> dict[str, str]:
    """Return variables with which another Python of this version finds the grader and NumPy."""
    packages = str(Path(numpy.__file__).parents[1])
    paths = [str(REPOSITORY), str(REPOSITORY / "tests"), packages]
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "100",
    }


def python_of_nobody() -> list[str]:
    """Return a command of Python as user 65534; this Python for a user who is not root.

    Skips the test where no Python of this version can be read by that user.
    """
    if os.geteuid():
        return [sys.executable]
    setpriv = shutil.which("setpriv")
    if not setpriv:
        pytest.skip("setpriv (util-linux) is not installed")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        command = [setpriv, *_NOBODY, python]
        if _answers([*command, "-c", _START_AGAIN]):
            return command
    pytest.skip("user 65534 can read no Python of this version with NumPy")


def own_processes() -> list[str]:
    """Return a command that runs another in a PID namespace; skips the test without one."""
    for user in ([], ["--user", "--map-current-user"]):
        command = ["unshare", *user, "--pid", "--fork", "--mount-proc"]
        if shutil.which("unshare") and _answers([*command, "echo", "ready"]):
            return command
    pytest.skip("no PID namespace can be had here, and a bomb must not run outside of one")


def run_apart(script: str, *command: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a mount namespace of its own, after the lines of a shell script.

    `more` are variables of its environment. Skips the test where there can be no such namespace.
    """
    user = ["--user", "--map-root-user"] if sys.platform == "linux" and os.geteuid() else []
    apart = ["unshare", *user, "--mount", "--"]
    if not shutil.which("unshare") or not _answers([*apart, "echo", "ready"]):
        pytest.skip("no mount namespace can be had here")
    return subprocess.run(
        [*apart, "sh", "-ec", script, "sh", *command],
        cwd="/proc",
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "TMPDIR": "/nowhere"}
        | more,
        capture_output=True,
        text=True,
    )


def run(command: Sequence[str], timeout: float = 120.0, **more: str) -> str:
    """Return the standard output of a command; fails the test on another exit code than 0."""
    variables: Mapping[str, str] = environment() | more
    done = subprocess.run(
        command, cwd="/", env=variables, capture_output=True, text=True, timeout=timeout
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def _answers(command: Sequence[str]) -> bool:
    try:
        return "ready" in run(command)
    except (AssertionError, OSError):
        return False
