"""Limit the tasks (threads) of each child, so that none takes all process numbers of the machine.

`RLIMIT_NPROC` counts the tasks of one user and does not bind for root (`getrlimit(2)`), so a child
gets an account of its own: an unused real user id, or a user namespace. Where neither can be had,
the zygote is asked for each start of a thread (`seccomp_unotify(2)`); where that cannot be had
either, a child starts no threads. A trial finds the first way that works.
"""

from __future__ import annotations

import _thread
import errno
import fcntl
import functools
import os
import resource
import secrets
import select
import signal
import struct
from collections.abc import Callable
from pathlib import Path

from ..protocol import (
    ASKED,
    NAMESPACE,
    NO_THREADS,
    REAL_UID,
    STARTS_LIMIT,
    TASKS_LIMIT,
)
from . import privileges, seccomp
from .kernel import MACHINE, SUPPORTED, call
from .syscalls import FILTERED, Numbers

CAP_SETUID = 7  # linux/capability.h
_CLONE_NEWUSER = 0x10000000  # linux/sched.h
# linux/seccomp.h: struct seccomp_notif and struct seccomp_notif_resp, and the calls that move them
_QUESTION_SIZE, _QUESTION, _ANSWER = 80, struct.Struct("=QI"), struct.Struct("=QqiI")
_RECEIVE, _SEND, _CONTINUE = 0xC0502100, 0xC0182101, 1
_FIRST_DESCRIPTOR = 64
"""a child uses lower numbers for its own descriptors"""
_FEWEST_UIDS, _SPAN = 2**15, 4096
_TRIAL_STACK, _TRIAL_STARTS, _TRIAL_MILLISECONDS = 2**16, 2, 1000


class TaskLimit:
    """The way that binds on this system, found by a trial, and its state in the zygote.

    Made by a process with one thread that has not set `no_new_privs`.
    """

    def __init__(self) -> None:
        self._first, self._span = _unused_uids()
        self._started = 0
        self.way = self._find()
        """`protocol.REAL_UID`, `NAMESPACE`, `ASKED` or `NO_THREADS`"""
        self.descriptor = -1
        """readable when a child asks for a thread; -1 where children do not ask"""
        self._left: dict[int, int] = {}
        """process id of a child -> how many threads it may still start"""

    @property
    def capabilities(self) -> int:
        """The capabilities that the zygote keeps for `enter`, as a mask."""
        return 1 << CAP_SETUID if self.way == REAL_UID else 0

    def listen(self) -> None:
        """Let this process answer its children's starts, if that is the way.

        Call after `no_new_privs`. OSError when the kernel refuses.
        """
        if self.way == ASKED:
            self.descriptor = _listener()

    def enter(self) -> None:
        """In a child, before its filter of system calls: limit its tasks; no capability is left.

        OSError when the kernel refuses.
        """
        _enter(self.way, self._first + self._started % (self._span or 1))

    def started(self, pid: int) -> None:
        """Count a forked child; the next one gets another user id."""
        self._started += 1
        self._left[pid] = STARTS_LIMIT

    def ended(self, pid: int) -> None:
        """Forget a child that was reaped."""
        del self._left[pid]

    def answer(self) -> None:
        """Answer one child that asks to start a thread."""
        _answer(self.descriptor, self._left)

    def _find(self) -> int:
        if not SUPPORTED:
            return NO_THREADS
        for way in (REAL_UID, NAMESPACE):
            if _succeeds(functools.partial(_binds, way, self._first)):
                return way
        return ASKED if _succeeds(_asks) else NO_THREADS


def _unused_uids() -> tuple[int, int]:
    """Return the first of many user ids that are nobody's, and their number.

    From the middle of the largest range that this user namespace maps; (0, 0) when it is small.
    """
    try:
        lines = Path("/proc/self/uid_map").read_text("ascii").splitlines()
    except OSError:
        return 0, 0
    start, _, count = max((list(map(int, line.split())) for line in lines), key=lambda one: one[2])
    if count < _FEWEST_UIDS:
        return 0, 0
    return start + count // 2 + secrets.randbelow(count // 4), _SPAN


def _enter(way: int, uid: int) -> None:
    if way == NAMESPACE:
        call("unshare", _CLONE_NEWUSER)  # it gives all capabilities within
    elif way == REAL_UID:  # files, PDEATHSIG and dumpable depend on the other two ids
        os.setresuid(uid, -1, -1)
    privileges.keep_capabilities()
    if way in (NAMESPACE, REAL_UID):
        resource.setrlimit(resource.RLIMIT_NPROC, (TASKS_LIMIT, TASKS_LIMIT))


def _succeeds(attempt: Callable[[], bool]) -> bool:
    """Return what `attempt` returns in a forked child; False when it raises OSError."""
    child = os.fork()
    if child == 0:
        status = 0
        try:
            status = int(attempt())
        except OSError:  # a call of this way is refused here
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 1 << 8


def _binds(way: int, uid: int) -> bool:
    """Enter the way and return whether exactly `TASKS_LIMIT` tasks can exist.

    Fewer mean that others share the account, so honest threads might not start.
    """
    if way == REAL_UID and not uid:
        return False
    _enter(way, uid)
    return _start_threads(TASKS_LIMIT) == TASKS_LIMIT - 1


def _start_threads(most: int) -> int:
    """Start up to `most` threads that wait until this process ends; return how many started."""
    gate = _thread.allocate_lock()
    gate.acquire()
    _thread.stack_size(_TRIAL_STACK)
    for started in range(most):
        try:
            _thread.start_new_thread(gate.acquire, ())
        except RuntimeError:
            return started
    return most


def _asks() -> bool:
    """Return whether this process is asked, and heard, when a child of it starts a thread."""
    privileges.no_new_privileges()
    descriptor = _listener()
    child = os.fork()
    if child == 0:
        os._exit(_start_threads(_TRIAL_STARTS + 1))
    left = {child: _TRIAL_STARTS}
    questions = select.poll()
    questions.register(descriptor, select.POLLIN)
    for _ in range(_TRIAL_STARTS + 1):
        if not questions.poll(_TRIAL_MILLISECONDS):
            os.kill(child, signal.SIGKILL)
            break
        _answer(descriptor, left)
    return os.waitpid(child, 0)[1] == _TRIAL_STARTS << 8


def asking_program(machine: str = MACHINE) -> list[seccomp.Step]:
    """Return the zygote's filter: the start of a thread asks, `clone3` does not exist.

    A process that is forked does not ask.
    """
    return [
        seccomp.Step(seccomp.LOAD, 0, 0, 0),  # the call's number
        seccomp.Step(seccomp.JUMP_EQUAL, 0, 1, _number(FILTERED["clone3"], machine)),
        seccomp.Step(seccomp.RETURN, 0, 0, seccomp.RET_ERRNO | errno.ENOSYS),
        seccomp.Step(seccomp.JUMP_EQUAL, 0, 3, _number(FILTERED["clone"], machine)),
        seccomp.Step(seccomp.LOAD, 0, 0, seccomp.DATA_ARGUMENTS),
        seccomp.Step(seccomp.JUMP_SET, 0, 1, seccomp.CLONE_THREAD),
        seccomp.Step(seccomp.RETURN, 0, 0, seccomp.RET_USER_NOTIF),
        seccomp.Step(seccomp.RETURN, 0, 0, seccomp.RET_ALLOW),
    ]


def _number(numbers: Numbers, machine: str) -> int:
    number: int = getattr(numbers, machine)
    return number


def _listener() -> int:
    descriptor = seccomp.load(asking_program(), seccomp.NEW_LISTENER)
    high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_DESCRIPTOR)
    os.close(descriptor)
    return high


def _answer(descriptor: int, left: dict[int, int]) -> None:
    """Let the asking thread's process start another thread if it has starts `left`."""
    question = bytearray(_QUESTION_SIZE)
    try:
        fcntl.ioctl(descriptor, _RECEIVE, question)
        ident, thread = _QUESTION.unpack_from(question)
        pid = next((pid for pid in left if _belongs(pid, thread)), None)
        may = pid is not None and left[pid] > 0
        if pid is not None and may:
            left[pid] -= 1
        answer = (0, _CONTINUE) if may else (-errno.EAGAIN, 0)
        _send(descriptor, _ANSWER.pack(ident, 0, *answer))
    except OSError as error:  # the child was killed meanwhile; a signal came before the question
        if error.errno not in (errno.ENOENT, errno.EINTR):
            raise


def _send(descriptor: int, answer: bytes) -> None:
    while True:
        try:
            fcntl.ioctl(descriptor, _SEND, answer)
        except InterruptedError:  # by the end of a child
            continue
        return


def _belongs(pid: int, thread: int) -> bool:
    try:
        return call("tgkill", pid, thread, 0) == 0
    except OSError:
        return False
