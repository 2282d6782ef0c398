"""`fork(2)` for a process with one thread, without Python's own preparations for more."""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.PyDLL(None, use_errno=True)


def fork() -> int:
    """Return the child's pid, or 0 in the child; OSError when there can be none.

    `os.fork` makes the child rebuild locks and thread states and run hooks (`threading`'s,
    `random`'s): 170 page faults of 250. With one thread, the interpreter lock held (`PyDLL`) and
    nothing that depends on a new seed, what was copied is right as it is.
    """
    pid: int = _libc.fork()
    if pid < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return pid
