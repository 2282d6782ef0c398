"""Resource limits of the child, on systems that have them (POSIX `setrlimit`)."""

from __future__ import annotations

import sys

FILE_BYTES = 16 * 2**20
DESCRIPTORS = 64


def apply(memory_mb: int, cpu_seconds: int, file_bytes: int = FILE_BYTES) -> None:
    """Limit this process: address space, CPU as a backstop, file size, descriptors, no core.

    A limit that the system does not know or has set lower already is left as it is.
    """
    if sys.platform == "win32":
        return
    import resource

    wanted = {
        resource.RLIMIT_AS: memory_mb * 2**20,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NOFILE: DESCRIPTORS,
        resource.RLIMIT_CORE: 0,
    }
    for limit, value in wanted.items():
        try:
            resource.setrlimit(limit, (value, value))
        except (ValueError, OSError):  # macOS refuses RLIMIT_AS; a lower hard limit stays
            continue
