"""Enter the sandbox step by step, and try which of its layers work.

The process gives up all capabilities for good and dies with its parent (`prctl(2)`, `capset(2)`).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import sys
from collections.abc import Callable

from ..protocol import LANDLOCK, SECCOMP
from . import landlock, seccomp
from .kernel import call

_AF_INET, _SOCK_STREAM = 2, 1  # linux/socket.h, linux/net.h
# linux/prctl.h, linux/capability.h
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_LINUX_CAPABILITY_VERSION_3 = 0x20080522
_MOST_CAPABILITIES = 64


def readable() -> list[str]:
    """Return paths that learner code may read: Python, installed packages, system libraries."""
    libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"]
    return [*sys.path, *libraries, os.devnull, "/dev/urandom"]


def outer() -> None:
    """Restrict this process and its later children to reading the paths of `readable`.

    OSError when the kernel refuses.
    """
    drop_privileges()
    landlock.restrict(readable())


def trial() -> int:
    """Return the layers that work on this system, as bits (`LANDLOCK`, `SECCOMP`).

    A forked child enters each layer and tries a call that the layer must refuse.
    """
    if not landlock.abi():
        return SECCOMP if seccomp.available() else 0
    child = os.fork()
    if child == 0:
        status = 0
        try:
            outer()
            status = LANDLOCK if _refused(lambda: os.open("/", os.O_RDONLY), errno.EACCES) else 0
            seccomp.Filter().enter(os.getpid())
            status |= SECCOMP if _refused(_open_socket, errno.EPERM) else 0
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended) if os.WIFEXITED(ended) else 0


def _open_socket() -> int:
    return call("socket", _AF_INET, _SOCK_STREAM, 0)


def _refused(attempt: Callable[[], object], error: int) -> bool:
    try:
        attempt()
    except OSError as refusal:
        return refusal.errno == error
    return False


def drop_privileges() -> None:
    """Give up every capability for good; without them a process may load a seccomp filter."""
    call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    with contextlib.suppress(OSError):  # kernels before 4.3 have no ambient set
        call("prctl", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    for capability in range(_MOST_CAPABILITIES):
        try:
            call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
        except OSError:  # beyond the last capability, or not permitted: the process has none
            break
    header = (ctypes.c_uint32 * 2)(_LINUX_CAPABILITY_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable, in two halves
    call("capset", ctypes.byref(header), ctypes.byref(none))
    call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)


def close_range(first: int, last: int = 2**32 - 1) -> None:
    """Close every descriptor from `first` to `last`, both included."""
    if first <= last:
        call("close_range", first, last, 0)


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when `parent` dies; exit now if it is already dead."""
    call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
