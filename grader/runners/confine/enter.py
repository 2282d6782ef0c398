"""The steps into the sandbox, in their order, and a trial of what it refuses."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

from . import kernel, landlock, privileges, seccomp
from .layers import LANDLOCK, SECCOMP

_AF_INET, _SOCK_STREAM = 2, 1  # linux/socket.h, linux/net.h


def readable() -> list[str]:
    """Return what learner code may read: the interpreter, installed packages, system libraries."""
    libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"]
    return [*sys.path, *libraries, os.devnull, "/dev/urandom"]


def outer() -> None:
    """Confine this process and all its later children to reading what is `readable`."""
    privileges.drop()
    landlock.restrict(readable())


def trial() -> int:
    """Return which layers work here, found by entering them in a child that tries to get out."""
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
    return kernel.call("socket", _AF_INET, _SOCK_STREAM, 0)


def _refused(attempt: Callable[[], object], error: int) -> bool:
    try:
        attempt()
    except OSError as refusal:
        return refusal.errno == error
    return False
