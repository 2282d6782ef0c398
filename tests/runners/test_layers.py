"""Each right that the sandbox takes away: one attempt that must be refused, and real children."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import accounts
import numpy
import pytest
from conftest import REPOSITORY

if sys.platform != "linux":
    pytest.skip("the sandbox needs Linux", allow_module_level=True)

from grader.child import protocol
from grader.child.sandbox.attempts import ATTEMPTS, LANDLOCK, PARENT, PATHS, PRIVILEGES
from grader.errors import UsageError
from grader.model import Job, Limits
from grader.runners import launch, layers
from grader.runners.examination import Examination, Tried, examine
from grader.runners.zygote import ZygoteRunner

from .conftest import ONE, PATIENT, calls, submission
from .test_zygote import SPIN, alive, descendants, value, wait_until

try:
    ZygoteRunner().close()
except UsageError as missing:
    pytest.skip(str(missing), allow_module_level=True)

REFUSING = Path(__file__).parents[1] / "refusing.py"
NAMES = [(one.layer, one.name) for one in ATTEMPTS] + [(PARENT, "outlive its parent")]
NOT_ROOT = {
    name for layer, name in NAMES if layer == PRIVILEGES and name != "no capability is left"
}
"""what an ordinary user cannot do without the layer either"""
RIGHTS = {
    *("execute", "write_file", "read_file", "read_dir", "remove_dir", "remove_file"),
    *("make_char", "make_dir", "make_reg", "make_sock", "make_fifo", "make_block", "make_sym"),
    *("refer", "truncate", "ioctl_dev", "bind_tcp", "connect_tcp"),
    *("abstract_unix_socket", "signal"),
}
"""linux/landlock.h: LANDLOCK_ACCESS_FS_*, LANDLOCK_ACCESS_NET_*, LANDLOCK_SCOPE_*"""


@pytest.fixture(scope="module")
def examination() -> Examination:
    return examine()


def check(one: Tried, abi: int, root: bool) -> None:
    if one.since > abi and one.layer == LANDLOCK:
        pytest.skip(f"Landlock ABI {abi} does not have this right")
    if one.layer == PATHS and one.answer is None:
        pytest.skip("this user cannot make a mount namespace here")
    assert one.refused, one
    if not one.proved and (not root or one.name == "raise a hard limit"):
        return  # this user could not do it without the layer either
    assert one.proved or one.without is None, one


@pytest.mark.parametrize(("layer", "name"), NAMES, ids=[f"{a}: {b}" for a, b in NAMES])
def test_an_attempt_is_refused_by_its_layer_and_allowed_without_it(
    examination: Examination, layer: str, name: str
) -> None:
    (one,) = (one for one in examination.attempts if (one.layer, one.name) == (layer, name))
    check(one, examination.abi, os.geteuid() == 0)


def test_every_attempt_is_refused_to_an_ordinary_user_too() -> None:
    script = (
        "import dataclasses, json; from grader.runners.examination import examine;"
        "print(json.dumps(dataclasses.asdict(examine())))"
    )
    found = json.loads(accounts.run([*accounts.python_of_nobody(), "-c", script]))
    rows = [Tried(**row | {"refusals": tuple(row["refusals"])}) for row in found["attempts"]]
    assert {(one.layer, one.name) for one in rows} == set(NAMES)
    for one in rows:
        if (one.since <= found["abi"] or one.layer != LANDLOCK) and one.answer is not None:
            assert one.refused, one
            assert one.proved or one.name in NOT_ROOT or one.without is None, one


def test_every_right_of_landlock_has_an_attempt() -> None:
    assert {one.name for one in ATTEMPTS if one.layer == LANDLOCK} == RIGHTS


def test_a_start_and_the_examination_find_the_same_layers(examination: Examination) -> None:
    with ZygoteRunner() as runner:
        assert runner.isolation == layers.names(
            examination.working, examination.abi, examination.task_limit
        )


def test_isolation_names_what_works() -> None:
    everything = (1 << 9) - 1
    assert layers.names(everything, 7, protocol.REAL_UID) == (
        "separate process",
        "resource limits",
        "no capabilities",
        "tasks (64, own real uid)",
        "landlock (ABI 7: files, truncate, TCP, devices, signals)",
        "seccomp",
        "paths hidden",
    )
    least = protocol.LANDLOCK | protocol.SECCOMP
    assert layers.names(least, 1, protocol.NO_THREADS) == (
        "separate process",
        "tasks (no threads)",
        "landlock (ABI 1: files)",
        "seccomp",
        "paths can be probed",
    )
    assert layers.names(0, 0, 0) == ("separate process",)


# --- real children -------------------------------------------------------------------------------

STATUS = f"""
import json, os, resource, sys
from pathlib import Path
hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
from grader.model import Job, Limits
from grader.runners.zygote import ZygoteRunner
from runners.conftest import ONE, calls, submission
from runners.test_zygote import descendants, wait_until

with ZygoteRunner(spare=0) as runner:
    runner.submit(Job(submission({SPIN!r}), "f", ONE, calls(1), Limits(memory_mb=300)))
    warm = runner._client._launched.pid
    assert wait_until(lambda: descendants(warm))
    (child,) = descendants(warm)
    proc = Path(f"/proc/{{child}}")
    def confined():
        return "Seccomp:\\t2" in (proc / "status").read_text()
    assert wait_until(confined)
    fields = dict(line.split(":\\t", 1) for line in (proc / "status").read_text().splitlines())
    limits = (proc / "limits").read_text()
    print(json.dumps({{
        "status": fields,
        "limits": {{line[:25].strip(): line[26:].split()[:2] for line in limits.splitlines()}},
        "owner": (proc / "limits").stat().st_uid,
        "uid": os.geteuid(),
        "warm": dict(
            line.split(":\\t", 1)
            for line in Path(f"/proc/{{warm}}/status").read_text().splitlines()
        ),
    }}))
"""


def of_a_child(python: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(accounts.run([*python, "-c", STATUS]))
    return found


@pytest.mark.parametrize("account", ["this user", "an ordinary user"])
def test_a_child_has_no_privileges_and_all_limits(account: str) -> None:
    found = of_a_child([sys.executable] if account == "this user" else accounts.python_of_nobody())
    status, limits = found["status"], found["limits"]
    for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert int(str(status[kind]), 16) == 0, kind
    if found["uid"] == 0:
        assert int(str(status["CapBnd"]), 16) == 0
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"
    memory = (300 + protocol.MEMORY_SIZE // 2**20) * 2**20
    expected = {
        "Max address space": memory,
        "Max file size": protocol.OUTPUT_LIMIT,
        "Max open files": protocol.DESCRIPTORS_LIMIT,
        "Max core file size": 0,
        "Max cpu time": int(Limits().total_seconds) + 1,
    }
    assert {name: int(limits[name][0]) for name in expected} == expected
    assert limits["Max processes"] == [str(protocol.TASKS_LIMIT)] * 2
    assert found["owner"] == 0, "not dumpable: its files in /proc belong to root"


@pytest.mark.parametrize("account", ["this user", "an ordinary user"])
@pytest.mark.parametrize("error", [errno.ENOSYS, errno.EPERM])
def test_an_older_kernel_or_a_filter_without_newer_calls_confines_as_well(
    account: str, error: int
) -> None:
    python = [sys.executable] if account == "this user" else accounts.python_of_nobody()
    lacks = [f"{name}={error}" for name in ("pidfd_open", "close_range")]
    refusing = [*python, str(REFUSING), *lacks, "--"]
    assert of_a_child([*refusing, python[-1]])["status"]["Seccomp"] == "2"
    script = """
from grader.model import Job
from grader.runners.zygote import ZygoteRunner
from runners.conftest import ONE, PATIENT, calls, submission
from runners.test_layers import OWN_DESCRIPTORS
from runners.test_zygote import value
with ZygoteRunner(spare=0) as runner:
    for _ in range(5):
        job = Job(submission(OWN_DESCRIPTORS), "f", ONE, calls(1), PATIENT)
        print(value(runner.run(job)))
"""
    assert accounts.run([*refusing, python[-1], "-c", script]).split() == ["1.0"] * 5


@pytest.mark.parametrize("account", ["this user", "an ordinary user"])
def test_a_zygote_keeps_no_capability_but_that_of_the_own_real_uid(account: str) -> None:
    found = of_a_child([sys.executable] if account == "this user" else accounts.python_of_nobody())
    warm = found["warm"]
    kept = {"0" * 16} if found["uid"] else {"0" * 16, f"{1 << 7:016x}"}
    assert warm["CapPrm"] in kept
    assert warm["CapEff"] in kept
    for kind in ("CapInh", "CapAmb"):
        assert int(str(warm[kind]), 16) == 0, kind
    assert warm["NoNewPrivs"] == "1"


OWN_DESCRIPTORS = """
        import os
        def f(X):
            found = {}
            for number in range(1024):
                try:
                    found[number] = os.fstat(number).st_ino
                except OSError:
                    continue
            return float(list(found) == [0, 1, 2, 3, 4] and found[1] == found[2] == found[3])
        """
"""0: empty; 1, 2 and 3: its output; 4: the counter that says that it has answered"""


def test_a_submission_finds_no_descriptor_that_is_not_its_own() -> None:
    with ZygoteRunner() as runner:
        assert value(runner.run(Job(submission(OWN_DESCRIPTORS), "f", ONE, calls(1), PATIENT))) == 1


def test_a_killed_zygote_takes_its_children_along() -> None:
    with ZygoteRunner() as runner:
        runner.submit(Job(submission(SPIN), "f", ONE, calls(1), Limits(seconds=30.0)))
        warm = runner._client._launched.pid
        assert wait_until(lambda: descendants(warm))
        below = descendants(warm)
        os.kill(warm, 9)
        assert wait_until(lambda: not any(map(alive, below)))


def test_where_numpy_lies_beside_a_course_only_numpy_is_readable(tmp_path: Path) -> None:
    course = tmp_path / "course"
    course.mkdir()
    secret = course / "reference.py"
    secret.write_text("SECRET = 1\n")
    home = Path(numpy.__file__).parents[1]
    for name in ("numpy", "numpy.libs"):
        if (home / name).exists():
            (course / name).symlink_to(home / name)
    script = textwrap.dedent(f"""
        import sys
        sys.path[:] = [path for path in sys.path if "-packages" not in path]
        sys.path += {[str(REPOSITORY), str(REPOSITORY / "tests"), str(course)]!r}
        from grader.model import Job, Limits, ReturnedValue, Returns, Submission, Call
        from grader.runners.zygote import ZygoteRunner
        import numpy
        assert numpy.__file__.startswith({str(course)!r})
        source = '''
        import os
        def f(X):
            import numpy.ma, numpy.random  # lazily, from beside the course
            found = 0
            for attempt in (lambda: open({str(secret)!r}), lambda: os.listdir({str(course)!r})):
                try:
                    attempt()
                    found += 1
                except OSError:
                    pass
            return float(found)
        '''
        import textwrap
        returns = Returns("single", (ReturnedValue("output", ("row",)),))
        submission = Submission("it.py", textwrap.dedent(source).encode(), {{}})
        call = Call("case-0", "r", (numpy.ones(3),))
        with ZygoteRunner() as runner:
            run = runner.run(Job(submission, "f", returns, [call], Limits(seconds=30.0)))
        execution = run.executions["case-0"]
        print(execution.answer.values[0].array if execution.answer else execution.failure)
        """)
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "0.0", done.stdout + done.stderr


def test_a_submission_finds_the_graders_folder_in_no_code_no_module_and_no_argument() -> None:
    if "child_coverage.py" in " ".join(launch.command("zygote", "-")):
        pytest.skip("what measures the coverage of the child names the folder")
    source = f"""
        import ctypes, gc, sys, types
        HOME = {str(REPOSITORY / "grader")!r}
        def f(X):
            found = []
            for one in gc.get_objects():
                if isinstance(one, types.FunctionType):
                    found += [one.__code__.co_filename]
                    found += [one.__globals__.get(key, "") for key in ("__file__", "__cached__")]
            frame = sys._getframe()
            while frame:
                found.append(frame.f_code.co_filename)
                frame = frame.f_back
            count, words = ctypes.c_int(), ctypes.POINTER(ctypes.c_wchar_p)()
            ctypes.pythonapi.Py_GetArgcArgv(ctypes.byref(count), ctypes.byref(words))
            found += [words[i] or "" for i in range(count.value)]
            found += sys.argv + sys.orig_argv + list(sys.path_importer_cache)
            assert len(found) > 1000 and count.value > 3
            return float(sum(HOME in str(text) for text in found))
        """
    gc_is_thawed = source.replace("for one in gc", "gc.unfreeze()\n            for one in gc")
    with ZygoteRunner() as runner:
        run = runner.run(Job(submission(gc_is_thawed), "f", ONE, calls(1), PATIENT))
        assert value(run) == 0
        line = Path(f"/proc/{runner._client._launched.pid}/cmdline").read_bytes()
    assert line.startswith(sys.executable.encode())
    assert str(REPOSITORY).encode() not in line.partition(b"\0")[2]
