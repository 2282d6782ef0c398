"""Resource limits of a child, on systems that have them (POSIX `setrlimit`)."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

FILE_BYTES = 16 * 2**20
DESCRIPTORS = 64


def wanted(memory_mb: int, cpu_seconds: int, file_bytes: int = FILE_BYTES) -> dict[int, int]:
    """Return the limits by number: address space, CPU as a backstop, files, no core."""
    if sys.platform == "win32":
        return {}
    import resource

    return {
        resource.RLIMIT_AS: memory_mb * 2**20,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NOFILE: DESCRIPTORS,
        resource.RLIMIT_CORE: 0,
    }


def apply(limits: dict[int, int]) -> None:
    """Limit this process for good; a limit that the system does not take is left as it is."""
    if sys.platform == "win32":
        return
    import resource

    for limit, value in limits.items():
        with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
            resource.setrlimit(limit, (value, value))


@contextlib.contextmanager
def inherited(limits: dict[int, int]) -> Iterator[None]:
    """Lower this process's own limits for a moment, so that a child forked now is born with them.

    They are soft; a child must not be allowed to raise them again (its system call filter sees
    to that).
    """
    if sys.platform == "win32":
        yield
        return
    import resource

    own = {limit: resource.getrlimit(limit) for limit in limits}
    try:
        for limit, value in limits.items():
            hard = own[limit][1]
            lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(limit, (lowest, hard))
        yield
    finally:
        for limit, value_pair in own.items():
            resource.setrlimit(limit, value_pair)
