"""The portable runner hides the course from a submission as far as a process of its user can."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import accounts
import pytest
from accounts import REPOSITORY

if sys.platform != "linux":
    pytest.skip("processes are looked at through /proc", allow_module_level=True)

LOOKS = """
import gc, os, sys, types
def f(X):
    parent = f"/proc/{os.getppid()}"
    def seen(look):
        try:
            return look()
        except OSError as error:
            return type(error).__name__
    def content(path):
        with open(path, "rb") as file:
            return file.read(10**6).decode(errors="replace")
    functions = [one for one in gc.get_objects() if isinstance(one, types.FunctionType)]
    print(seen(lambda: os.readlink(f"{parent}/cwd")))
    print(seen(lambda: content(f"{parent}/environ")))
    print(seen(lambda: content(f"{parent}/mem")))
    print(content("/proc/self/environ"), content("/proc/self/cmdline"), os.getcwd())
    print(sys.argv, sys.orig_argv, {one.__code__.co_filename for one in functions})
    return X
"""
GRADES = f"""
import json, os, sys
from grader.model import Job
from grader.runners.process import ProcessRunner
from runners.conftest import ONE, PATIENT, calls, submission
def dumpable():
    return os.stat("/proc/self/environ").st_uid == os.geteuid()
os.chdir(sys.argv[1])
os.environ["COURSE"] = sys.argv[1]
before = dumpable()
with ProcessRunner() as runner:
    run = runner.run(Job(submission({LOOKS!r}), "f", ONE, calls(1), PATIENT))
(execution,) = run.executions.values()
print(json.dumps([str(execution.outcome), execution.output, before, dumpable()]))
"""


def test_a_submission_finds_no_path_of_the_course(tmp_path: Path) -> None:
    python = accounts.python_of_nobody()
    course = tmp_path / "course"
    course.mkdir()
    for folder in (course, *course.parents):
        if str(folder).startswith(("/tmp/pytest", "/var/tmp/pytest")):
            folder.chmod(0o755)
    outcome, output, before, after = json.loads(accounts.run([*python, "-c", GRADES, str(course)]))
    assert outcome == "returned"
    assert output.splitlines()[:3] == ["PermissionError"] * 3
    assert str(course) not in output
    assert str(REPOSITORY / "grader") not in output
    assert before == after
