"""Steps into the sandbox that need no module of their own."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from . import landlock, privileges
from .kernel import call

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_SITES = ("site-packages", "dist-packages")
"""names of folders that contain installed packages only"""


def readable() -> list[str]:
    """Return paths that learner code may read: Python, installed packages, system libraries.

    Where NumPy lies beside other files, such as a course, only NumPy may be read there.
    """
    libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"]
    return [*_packages(), *libraries, os.devnull, "/dev/urandom"]


def _packages() -> Iterator[str]:
    for entry in sys.path:
        mixed = Path(entry).name not in _SITES and Path(entry, "numpy").exists()
        yield from (f"{entry}/numpy", f"{entry}/numpy.libs") if mixed else (entry,)


def outer(capabilities: int = 0) -> None:
    """Restrict this process and its later children to reading the paths of `readable`.

    It keeps only `capabilities`, a mask. OSError when the kernel refuses.
    """
    privileges.drop(capabilities)
    landlock.restrict(readable())


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when `parent` dies; exit now if it is already dead."""
    call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
