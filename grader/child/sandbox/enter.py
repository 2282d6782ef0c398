"""Steps into the sandbox that need no module of their own."""

from __future__ import annotations

import os
import signal
import sys

from . import landlock, privileges
from .kernel import call

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


def close_range(first: int, last: int = 2**32 - 1) -> None:
    """Close every descriptor from `first` to `last`, both included."""
    if first <= last:
        call("close_range", first, last, 0)


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when `parent` dies; exit now if it is already dead."""
    call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
