"""The layout of the memory that the grader shares with one confined child, and its numbers.

A slot serves one child at a time: the first page holds the words below, then comes the job, and
from the next page on the child's frames. Only bytes below `COMMITTED` are frames.
"""

from __future__ import annotations

import struct

SIZE = 192 * 2**20
"""bytes of one slot; memory is only taken by pages that were written"""
PAGE = 4096
WORD = struct.Struct("=Q")
COMMITTED, JOB_LENGTH = 0, 8
"""offsets of words: bytes of frames that are complete; bytes of the job"""

COMMAND = struct.Struct("=BBHII")
"""what, slot, whether there is time to prepare, MiB of memory, seconds of CPU time"""
FORK, KILL, TRACE = range(1, 4)

EVENT = struct.Struct("=BBHiQ")
"""what, slot, 0, status, KiB of peak memory"""
TRIED, EXITED, FAILED = range(1, 4)
"""the sandbox was tried (status: layers that work); a child ended; none could be started"""


def frames_start(job_length: int) -> int:
    """Return the offset of the child's frames."""
    return PAGE + -(-job_length // PAGE) * PAGE
