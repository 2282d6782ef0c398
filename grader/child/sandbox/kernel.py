"""System calls by number, with their errors as `OSError`."""

from __future__ import annotations

import ctypes
import os
import platform
from typing import Any

from .syscalls import FILTERED, OWN, Numbers

_NUMBERS = FILTERED | OWN

MACHINE = platform.machine()
SUPPORTED = MACHINE in Numbers._fields

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def call(name: str, *arguments: Any) -> int:
    """Make a system call of `OWN` or `FILTERED`; OSError when the kernel refuses it."""
    number = getattr(_NUMBERS[name], MACHINE)
    widened = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in arguments]
    result: int = _libc.syscall(ctypes.c_long(number), *widened)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")
    return result
