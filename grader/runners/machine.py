"""The memory that this machine, or the container that the grader runs in, has for a child."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from grader.model import Limits


def bounded(limits: Limits, root: Path = Path("/")) -> Limits:
    """Return `limits` with at most the memory that a child can have here."""
    room = room_mb(root)
    return limits if room >= limits.memory_mb else replace(limits, memory_mb=max(1, int(room)))


def room_mb(root: Path = Path("/")) -> float:
    """Return the MiB that a child of this process can have, infinite when that is unknown.

    It is the least limit of the control groups of this process and of the machine, less what this
    process uses. `root` is the folder that contains `proc` and `sys`.
    """
    used = 0
    with suppress(OSError):
        pages = (root / "proc/self/statm").read_text("ascii").split()[1]
        used = int(pages) * os.sysconf("SC_PAGE_SIZE")
    return (min(_limits(root), default=math.inf) - used) / 2**20


def _limits(root: Path) -> Iterator[float]:
    """Yield the limits of memory, in bytes; see proc_meminfo(5) and cgroups(7)."""
    with suppress(OSError):
        first = (root / "proc/meminfo").read_text("ascii").split()
        yield int(first[1]) * 1024
    with suppress(OSError):
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            if not controllers:
                yield from _group_limits(root / "sys/fs/cgroup", group, "memory.max")
            elif "memory" in controllers.split(","):
                folder = root / "sys/fs/cgroup/memory"
                yield from _group_limits(folder, group, "memory.limit_in_bytes")


def _group_limits(folder: Path, group: str, name: str) -> Iterator[float]:
    """Yield the limits of a control group and of the groups around it.

    In a container `folder` is often the own group, whose path has another meaning outside.
    """
    parts = [part for part in group.split("/") if part]
    for count in range(len(parts) + 1):
        with suppress(OSError, ValueError):  # no such group in this container; "max"
            yield int(folder.joinpath(*parts[:count], name).read_text("ascii"))
