"""Enter the sandbox step by step, and try which of its layers work."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Callable

from ..protocol import LANDLOCK, SECCOMP
from . import landlock, privileges, seccomp
from .kernel import call

_AF_INET, _SOCK_STREAM = 2, 1  # linux/socket.h, linux/net.h
_PR_SET_PDEATHSIG = 1  # linux/prctl.h


def readable() -> list[str]:
    """Return paths that learner code may read: Python, installed packages, system libraries."""
    libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"]
    return [*sys.path, *libraries, os.devnull, "/dev/urandom"]


def outer(capabilities: int = 0) -> None:
    """Restrict this process and its later children to reading the paths of `readable`.

    It keeps only `capabilities`, a mask. OSError when the kernel refuses.
    """
    privileges.drop(capabilities)
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


def close_range(first: int, last: int = 2**32 - 1) -> None:
    """Close every descriptor from `first` to `last`, both included."""
    if first <= last:
        call("close_range", first, last, 0)


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when `parent` dies; exit now if it is already dead."""
    call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
