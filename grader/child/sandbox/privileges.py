"""Give up a process's privileges for good (`prctl(2)`, `capset(2)`)."""

from __future__ import annotations

import ctypes

from .kernel import call

# linux/prctl.h, linux/capability.h
_PR_SET_DUMPABLE = 4
_PR_CAPBSET_READ, _PR_CAPBSET_DROP = 23, 24
_PR_SET_NO_NEW_PRIVS, _PR_GET_NO_NEW_PRIVS = 38, 39
_LINUX_CAPABILITY_VERSION_3 = 0x20080522
_MOST_CAPABILITIES = 64

# made once, before the forks
_header = (ctypes.c_uint32 * 2)(_LINUX_CAPABILITY_VERSION_3, 0)
_data = (ctypes.c_uint32 * 6)()
"""effective, permitted and inheritable capabilities, the lower halves before the upper halves"""


def drop(kept: int = 0) -> None:
    """Give up every privilege except the capabilities of the mask `kept`.

    Then the process may load a seccomp filter, and no process of its user may look into it.
    """
    no_new_privileges()
    for capability in range(_MOST_CAPABILITIES):
        try:
            call("prctl", _PR_CAPBSET_DROP, capability, 0, 0, 0)
        except OSError:  # beyond the last capability, or not permitted: the process has none
            break
    keep_capabilities(kept)
    call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)


def no_new_privileges() -> None:
    """Let no program that this process executes gain privileges."""
    call("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def keep_capabilities(kept: int = 0) -> None:
    """Give up every capability except `kept`, a mask of those below 32.

    None is inheritable, so the kernel empties the ambient set too.
    """
    _data[0] = _data[1] = kept
    call("capset", _header, _data)


def capabilities() -> tuple[int, ...]:
    """Return the effective, permitted and inheritable capabilities of this process as masks."""
    data = (ctypes.c_uint32 * 6)()
    call("capget", _header, data)
    return tuple(data[i] | data[i + 3] << 32 for i in range(3))


def bounding_set() -> list[int]:
    """Return the capabilities that an executed program could gain, by number."""
    found = []
    for capability in range(_MOST_CAPABILITIES):
        try:
            if call("prctl", _PR_CAPBSET_READ, capability, 0, 0, 0):
                found.append(capability)
        except OSError:  # beyond the last one
            break
    return found


def no_new() -> bool:
    """Return whether `no_new_privileges` is in force."""
    return call("prctl", _PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1
