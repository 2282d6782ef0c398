"""The layers of the sandbox that a zygote measured, in words."""

from __future__ import annotations

from grader.child.protocol import (
    ASKED,
    DEVICES,
    LANDLOCK,
    LIMITS,
    NAMESPACE,
    NO_THREADS,
    PATHS,
    PRIVILEGES,
    PROC,
    REAL_UID,
    SECCOMP,
    SIGNALS,
    STARTS_LIMIT,
    TASKS_LIMIT,
    TCP,
    TRUNCATE,
)

MANDATORY = {LANDLOCK: "landlock", SECCOMP: "seccomp"}
"""bits of `child.protocol` without which learner code is not confined -> name"""
_LANDLOCK = {
    LANDLOCK: "files",
    TRUNCATE: "truncate",
    TCP: "TCP",
    DEVICES: "devices",
    SIGNALS: "signals",
}
_TASKS = {
    REAL_UID: f"tasks ({TASKS_LIMIT}, own real uid)",
    NAMESPACE: f"tasks ({TASKS_LIMIT}, own user namespace)",
    ASKED: f"tasks ({STARTS_LIMIT} starts, asked)",
    NO_THREADS: "tasks (no threads)",
}


def missing(working: int) -> list[str]:
    """Return the names of the mandatory layers that do not work, or /proc without which none is
    measured.
    """
    if not working & PROC:
        return ["/proc"]
    return [name for bit, name in MANDATORY.items() if not working & bit]


def advice(names: list[str]) -> str:
    """Return what to do about the `missing` layers."""
    return "Mount /proc." if names == ["/proc"] else "Use Linux 5.13 or later."


def names(working: int, abi: int, task_limit: int) -> tuple[str, ...]:
    """Return the layers of a confined child as reports name them.

    `working` are bits of `child.protocol`, `abi` is the version of Landlock's ABI.
    """
    found = ["separate process"]
    if working & LIMITS:
        found.append("resource limits")
    if working & PRIVILEGES:
        found.append("no capabilities")
    if task_limit:
        found.append(_TASKS[task_limit])
    covered = [name for bit, name in _LANDLOCK.items() if working & bit]
    if covered:
        found.append(f"landlock (ABI {abi}: {', '.join(covered)})")
    if working & SECCOMP:
        found.append("seccomp")
    if working & LANDLOCK:
        found.append("paths hidden" if working & PATHS else "paths can be probed")
    return tuple(found)
