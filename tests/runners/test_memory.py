"""A child that the machine killed for its memory has run out of memory."""

from __future__ import annotations

import math
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grader.errors import MachineError
from grader.model import Outcome
from grader.runners import machine
from grader.runners.endings import Ending
from grader.runners.retrying import patiently

from .conftest import PATIENT
from .test_protocol import HELLO, READY
from .test_supervision import supervise

SYSTEMS = {
    "the machine": {"proc/meminfo": "MemTotal:  262144 kB\nMemFree: 1 kB\n"},
    "cgroup v2": {
        "proc/self/cgroup": "0::/user/grader\n",
        "sys/fs/cgroup/user/memory.max": f"{256 * 2**20}\n",
        "sys/fs/cgroup/user/grader/memory.max": "max\n",
    },
    "cgroup v2 of a container": {
        "proc/self/cgroup": "0::/../elsewhere\n",
        "sys/fs/cgroup/memory.max": f"{256 * 2**20}\n",
    },
    "cgroup v1": {
        "proc/self/cgroup": "4:cpu:/\n3:hugetlb,memory:/docker/1\n0::/\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{2**63 - 4096}\n",
        "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": f"{256 * 2**20}\n",
    },
}
"""file -> text, on systems with 256 MiB"""


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize("files", SYSTEMS.values(), ids=SYSTEMS)
def test_a_child_has_the_least_limit_less_what_the_grader_uses(
    tmp_path: Path, files: dict[str, str]
) -> None:
    write(tmp_path, files)
    assert machine.room_mb(tmp_path) == 256.0
    pages = 56 * 2**20 // os.sysconf("SC_PAGE_SIZE")
    write(tmp_path, {"proc/self/statm": f"99999 {pages} 1 1 0 1 0\n"})
    assert machine.room_mb(tmp_path) == 200.0
    assert machine.bounded(PATIENT, tmp_path) == replace(PATIENT, memory_mb=200)
    small = replace(PATIENT, memory_mb=150)
    assert machine.bounded(small, tmp_path) is small


def test_an_unknown_limit_of_the_machine_changes_nothing(tmp_path: Path) -> None:
    assert machine.room_mb(tmp_path) == math.inf
    assert machine.bounded(PATIENT, tmp_path) is PATIENT


@pytest.mark.skipif(sys.platform != "linux", reason="the memory is read from /proc")
def test_a_child_that_is_killed_when_it_has_all_memory_of_the_machine_ran_out_of_memory() -> None:
    limits = replace(PATIENT, memory_mb=2**40)
    run = supervise([[HELLO + READY, None]], Ending(-9, machine.room_mb()), limits)
    assert run.executions["case-0"].outcome is Outcome.MEMORY


def test_what_was_already_tried_again_is_not_tried_once_more() -> None:
    attempts = []

    def attempt() -> None:
        attempts.append(1)
        raise MachineError("killed 3 times", tried=True)

    with pytest.raises(MachineError):
        patiently(attempt)
    assert len(attempts) == 1
