"""Try again what the machine refused, since its lack of memory or processes may pass."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable
from typing import TypeVar

from grader.errors import MachineError

_T = TypeVar("_T")

LACKS = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
"""errors of system calls for which memory, process numbers or descriptors are missing"""
_WAIT_SECONDS = (0.05, 0.2, 0.8, 2.0)


def patiently(attempt: Callable[[], _T]) -> _T:
    """Return the result of `attempt`; call it again, after a growing wait, on MachineError.

    MachineError when the last attempt fails as well, or an attempt has `tried` enough itself.
    """
    for seconds in _WAIT_SECONDS:
        try:
            return attempt()
        except MachineError as error:
            if error.tried:
                raise
            time.sleep(seconds)
    return attempt()
