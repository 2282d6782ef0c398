"""A confined child's threads are limited, in each way that a system permits."""

from __future__ import annotations

import errno
import json
import os
import platform
import sys
from pathlib import Path

import accounts
import pytest

if sys.platform != "linux":
    pytest.skip("the confined runner needs Linux", allow_module_level=True)

from grader.child.protocol import ASKED, NO_THREADS, STARTS_LIMIT, TASKS_LIMIT
from grader.child.sandbox import seccomp, tasks
from grader.child.sandbox.syscalls import FILTERED
from grader.errors import UsageError
from grader.model import Job
from grader.runners.zygote import ZygoteRunner

from .conftest import ONE, PATIENT, calls, submission
from .test_zygote import ALLOW, ARCHES, EAGAIN, ENOSYS, answer_of, value

try:
    ZygoteRunner().close()
except UsageError as missing:
    pytest.skip(str(missing), allow_module_level=True)

BOMB = Path(__file__).with_name("thread_bomb.py")
REFUSING = Path(__file__).parents[1] / "refusing.py"
HONEST = [["pool", 140.0], ["pool", 140.0]]

WAYS = {
    "root": ([], "tasks (64, own real uid)", TASKS_LIMIT - 1),
    "an ordinary user": ([], "tasks (64, own user namespace)", TASKS_LIMIT - 1),
    "user namespaces refused": (
        [f"unshare={errno.EPERM}"],
        "tasks (256 starts, asked)",
        STARTS_LIMIT,
    ),
    "another listener": ([f"unshare={errno.ENOSPC}", "--listener"], "tasks (no threads)", 0),
}
"""name -> what is refused, the layer that the runner names, threads that a bomb starts"""


@pytest.mark.parametrize("name", WAYS)
def test_a_thread_bomb_is_bounded_and_honest_threads_beside_it_run(name: str) -> None:
    refused, layer, most = WAYS[name]
    if platform.machine() != "x86_64":
        pytest.skip("the bomb is machine code of x86-64")
    if name == "root" and os.geteuid():
        pytest.skip("needs root")
    python = [sys.executable] if name == "root" else accounts.python_of_nobody()
    wrapper = [str(REFUSING), *refused, "--", python[-1]] if refused else []
    out = accounts.run([*accounts.own_processes(), *python, *wrapper, str(BOMB)])
    result = json.loads(out)
    found = result["found"]
    assert layer in result["isolation"]
    assert [pair for pair in found if pair[0] == "bomb"] == [["bomb", most]] * 3
    pools = [pair for pair in found if pair[0] == "pool"]
    if most:
        assert pools == HONEST
    else:
        assert all("can't start new thread" in message for _, message in pools)


def test_each_child_of_root_has_an_account_of_its_own() -> None:
    source = "import os\ndef f(X):\n    return os.getuid() * 2.0 + (os.geteuid() != 0)\n"
    job = Job(submission(source), "f", ONE, calls(1), PATIENT)
    with ZygoteRunner() as runner:
        if "tasks (64, own real uid)" not in runner.isolation:
            pytest.skip("children have no real uid of their own here")
        found = {value(runner.run(job)) for _ in range(3)}
    assert len(found) == 3
    assert 0 not in found
    assert not any(number % 2 for number in found), "the effective uid reads root's own folders"


@pytest.mark.parametrize("machine", ARCHES)
def test_only_a_new_thread_asks_and_clone3_does_not_exist(machine: str) -> None:
    steps, arch = tasks.asking_program(machine), ARCHES[machine]

    def ask(name: str, *arguments: int) -> int:
        return answer_of(steps, arch, getattr(FILTERED[name], machine), *arguments)

    assert ask("clone", 0x3D0F00) == seccomp.RET_USER_NOTIF  # glibc's pthread_create
    assert ask("clone", 0x50F00) == seccomp.RET_USER_NOTIF
    assert ask("clone", 0x1200011) == ALLOW  # glibc's fork
    assert ask("clone3") == ENOSYS
    others = set(range(600)) - {getattr(FILTERED[name], machine) for name in ("clone", "clone3")}
    assert {answer_of(steps, arch, number, 0x10000) for number in others} == {ALLOW}


@pytest.mark.parametrize("machine", ARCHES)
def test_without_threads_the_filter_refuses_clone_as_a_limit_does(machine: str) -> None:
    steps, arch = seccomp.program(4242, machine, threads=False), ARCHES[machine]
    number = getattr(FILTERED["clone"], machine)
    assert {answer_of(steps, arch, number, flags) for flags in (0x3D0F00, 17)} == {EAGAIN}


def test_a_way_that_gives_fewer_threads_is_not_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others' tasks count on a shared account, so honest threads might not start."""
    monkeypatch.setattr(tasks, "_start_threads", lambda most: most - 2)
    assert tasks.TaskLimit().way in (ASKED, NO_THREADS)
