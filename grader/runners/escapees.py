"""Processes that learner code left behind in sessions of their own (Linux only).

A kill of the child's process group misses them. This process adopts them, and knows them by a
name in their environment; code that clears its environment as well gets away.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from pathlib import Path

NAME = "GRADER_CHILD"
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_MOST_ROUNDS = 100


def adopt() -> None:
    """Become the parent of orphans among this process's descendants."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill(token: str) -> None:
    """Kill this process's children, and then theirs, whose environment has `token`."""
    if sys.platform != "linux":
        return
    mark = f"{NAME}={token}".encode()
    for _ in range(_MOST_ROUNDS):
        found = [pid for pid in _children() if _has(pid, mark)]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _children() -> list[int]:
    pids: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a kernel without the list, or a thread that ended
            pids += map(int, (task / "children").read_text().split())
    return pids


def _has(pid: int, mark: bytes) -> bool:
    try:
        return mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
