"""Filter system calls by an allow-list: a classic BPF program (`seccomp(2)`, linux/filter.h)."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import signal
import struct
from typing import NamedTuple

from .kernel import MACHINE, call
from .syscalls import ALLOWED, FILTERED, Numbers

# linux/seccomp.h
_SET_MODE_FILTER = 1
NEW_LISTENER = 1 << 3
_RET_KILL_PROCESS, RET_ERRNO, RET_ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
RET_USER_NOTIF = 0x7FC00000
DATA_NUMBER, _DATA_ARCH, DATA_ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
# linux/audit.h: the ELF machine, 64 bit, little-endian
_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32_BIT = 0x40000000  # asm/unistd.h
# linux/bpf_common.h
LOAD, _AND, RETURN = 0x20, 0x54, 0x06
JUMP_EQUAL, _JUMP_GREATER_EQUAL, JUMP_SET = 0x15, 0x35, 0x45
# linux/sched.h: flags of a new thread in this process; flags of namespaces and tracing
CLONE_THREAD = 0x00010000
_THREAD = 0x00000100 | CLONE_THREAD
_NOT_A_THREAD = 0x7E020000 | 0x00002000 | 0x00004000 | 0x00008000


_ANY_PID = 0x7FFFFFF1  # above the greatest process id (linux/threads.h)


class Step(NamedTuple):
    """One instruction: code, jump when true, jump when false, operand."""

    code: int
    true: int
    false: int
    operand: int


class Filter:
    """The filter for this machine, assembled once; `enter` inserts the process id."""

    def __init__(self, *, threads: bool = True) -> None:
        code = assemble(program(_ANY_PID, threads=threads))
        mark = struct.pack("=I", _ANY_PID)
        self._code = ctypes.create_string_buffer(code, len(code))
        self._places = [i + 4 for i in range(0, len(code), 8) if code[i + 4 : i + 8] == mark]
        header = struct.pack("=HxxxxxxQ", len(code) // 8, ctypes.addressof(self._code))
        self._header = ctypes.create_string_buffer(header, len(header))

    def enter(self, pid: int) -> None:
        """Load the filter into this process, whose id is `pid`; OSError when the kernel refuses."""
        for place in self._places:
            struct.pack_into("=I", self._code, place, pid)
        call("seccomp", _SET_MODE_FILTER, 0, self._header)


def load(steps: list[Step], flags: int = 0) -> int:
    """Load a filter into this process; return the descriptor that `NEW_LISTENER` asks for, or 0.

    OSError when the kernel refuses.
    """
    code = ctypes.create_string_buffer(assemble(steps))
    header = struct.pack("=HxxxxxxQ", len(steps), ctypes.addressof(code))
    return call("seccomp", _SET_MODE_FILTER, flags, ctypes.create_string_buffer(header))


def program(pid: int, machine: str = MACHINE, *, threads: bool = True) -> list[Step]:
    """Return the filter for process `pid`: a call that is not allowed fails with EPERM.

    A call of another architecture, x32 included, kills the process. Without `threads`, a thread
    cannot be started: EAGAIN, as beyond a limit.
    """

    def number(numbers: Numbers) -> int | None:
        found: int | None = getattr(numbers, machine)
        return found

    steps = [
        Step(LOAD, 0, 0, _DATA_ARCH),
        Step(JUMP_EQUAL, 1, 0, _ARCH[machine]),
        Step(RETURN, 0, 0, _RET_KILL_PROCESS),
        Step(LOAD, 0, 0, DATA_NUMBER),
    ]
    if machine == "x86_64":
        steps += [
            Step(_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT),
            Step(RETURN, 0, 0, _RET_KILL_PROCESS),
        ]
    for name, block in _blocks(pid, threads).items():
        steps.append(Step(JUMP_EQUAL, 0, len(block), number(FILTERED[name]) or 0))
        steps += block
    allowed = [found for found in map(number, ALLOWED.values()) if found is not None]
    for place, found in enumerate(allowed):
        steps.append(Step(JUMP_EQUAL, len(allowed) - place, 0, found))
    return [*steps, _refuse(errno.EPERM), Step(RETURN, 0, 0, RET_ALLOW)]


def assemble(steps: list[Step]) -> bytes:
    """Return the program as the kernel reads it: an array of `struct sock_filter`."""
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _refuse(error: int) -> Step:
    return Step(RETURN, 0, 0, RET_ERRNO | error)


def _blocks(pid: int, threads: bool) -> dict[str, list[Step]]:
    """Return the steps for each filtered call by name; every block ends with a decision."""
    reading = (fcntl.F_GETFD, fcntl.F_GETFL, fcntl.F_DUPFD_CLOEXEC)
    return {
        "clone3": [_refuse(errno.ENOSYS)],  # glibc then uses clone, whose flags a filter can read
        "ioctl": [_refuse(errno.ENOTTY)],
        "fcntl": _when_argument(1, list(reading)),
        "kill": _signal_itself(pid, 1),
        "tgkill": _signal_itself(pid, 2),
        "prlimit64": _reading_own_limits(),
        "clone": [
            Step(LOAD, 0, 0, DATA_ARGUMENTS),
            Step(_AND, 0, 0, _THREAD | _NOT_A_THREAD),
            *_when_equal([_THREAD]),
        ]
        if threads
        else [_refuse(errno.EAGAIN)],
    }


def _signal_itself(pid: int, position: int) -> list[Step]:
    """Return steps that allow signals to `pid` except SIGKILL, the argument at `position`.

    So a SIGKILL that the grader did not send is never the learner's doing.
    """
    return [
        Step(LOAD, 0, 0, DATA_ARGUMENTS + 8 * position),
        Step(JUMP_EQUAL, 0, 1, signal.SIGKILL),
        _refuse(errno.EPERM),
        *_when_argument(0, [pid]),
    ]


def _reading_own_limits() -> list[Step]:
    """Return steps that allow `prlimit64(0, ..., NULL, ...)`: glibc's getrlimit."""
    no_change = [DATA_ARGUMENTS, DATA_ARGUMENTS + 16, DATA_ARGUMENTS + 20]  # pid, new limits
    steps: list[Step] = []
    for offset in no_change:
        left = 2 * (len(no_change) - 1) - len(steps)
        steps += [Step(LOAD, 0, 0, offset), Step(JUMP_EQUAL, 0, left + 1, 0)]
    return [*steps, Step(RETURN, 0, 0, RET_ALLOW), _refuse(errno.EPERM)]


def _when_argument(position: int, values: list[int]) -> list[Step]:
    """Return steps that allow a call when an argument's low 32 bits are one of `values`."""
    return [Step(LOAD, 0, 0, DATA_ARGUMENTS + 8 * position), *_when_equal(values)]


def _when_equal(values: list[int]) -> list[Step]:
    jumps = [Step(JUMP_EQUAL, len(values) - place, 0, value) for place, value in enumerate(values)]
    return [*jumps, _refuse(errno.EPERM), Step(RETURN, 0, 0, RET_ALLOW)]
