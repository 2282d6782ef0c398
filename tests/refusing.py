"""Run a command in which the kernel refuses some system calls, as a container's filter does.

`python refusing.py unshare=1 pidfd_open=38 [--listener] -- COMMAND...` makes the calls fail with
these error numbers and becomes the command. With `--listener` another process-wide listener for
system calls exists already, so the command cannot make one (EBUSY).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.child.sandbox import privileges, seccomp
from grader.child.sandbox.kernel import MACHINE
from grader.child.sandbox.syscalls import FILTERED, OWN, Numbers

_NUMBERS = FILTERED | OWN | {"pidfd_open": Numbers(434, 434), "close_range": Numbers(436, 436)}
_UNUSED = 999
"""the number of no system call"""


def filter_of(refused: dict[str, int]) -> list[seccomp.Step]:
    """Return a filter that refuses calls by name with an error number, and allows all others."""
    steps = [seccomp.Step(seccomp.LOAD, 0, 0, seccomp.DATA_NUMBER)]
    for name, error in refused.items():
        number = getattr(_NUMBERS[name], MACHINE)
        steps.append(seccomp.Step(seccomp.JUMP_EQUAL, 0, 1, number))
        steps.append(seccomp.Step(seccomp.RETURN, 0, 0, seccomp.RET_ERRNO | error))
    return [*steps, seccomp.Step(seccomp.RETURN, 0, 0, seccomp.RET_ALLOW)]


def listen() -> None:
    """Install a listener that is never asked, and keep it open in the command."""
    unused = [
        seccomp.Step(seccomp.LOAD, 0, 0, seccomp.DATA_NUMBER),
        seccomp.Step(seccomp.JUMP_EQUAL, 0, 1, _UNUSED),
        seccomp.Step(seccomp.RETURN, 0, 0, seccomp.RET_USER_NOTIF),
        seccomp.Step(seccomp.RETURN, 0, 0, seccomp.RET_ALLOW),
    ]
    os.set_inheritable(seccomp.load(unused, seccomp.NEW_LISTENER), True)


if __name__ == "__main__":
    end = sys.argv.index("--")
    words = sys.argv[1:end]
    if os.geteuid():
        privileges.no_new_privileges()
    if "--listener" in words:
        listen()
    pairs = (word.split("=") for word in words if "=" in word)
    if refused := {name: int(error) for name, error in pairs}:
        seccomp.load(filter_of(refused))
    os.execv(sys.argv[end + 1], sys.argv[end + 1 :])
