"""No capabilities, no way to gain any, and no life after the parent (`prctl(2)`, `capset(2)`)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal

from .kernel import call

# linux/prctl.h, linux/capability.h
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
_LINUX_CAPABILITY_VERSION_3 = 0x20080522
_MOST_CAPABILITIES = 64


def drop() -> None:
    """Give up every capability for good; only then may anybody load a filter."""
    call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    with contextlib.suppress(OSError):  # kernels before 4.3 have no ambient set
        call("prctl", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    for capability in range(_MOST_CAPABILITIES):
        try:
            call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
        except OSError:  # beyond the last capability, or not permitted to drop, having none
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
    """Have the kernel kill this process when `parent` dies; end now if it is dead already."""
    call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
