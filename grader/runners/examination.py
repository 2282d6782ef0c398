"""Examine the layers of the sandbox on this machine, attempt by attempt (Linux)."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass

from grader.errors import SHORT, MachineError, UsageError
from grader.files import temporary_folder
from grader.runners import launch

HELD = -1
"""the answer to an attempt that reads a restriction back and finds it as set"""
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt of `child.sandbox.attempts`, made without and with its layer.

    An answer is an error number, minus a signal's number, 0 when the attempt was allowed, `HELD`,
    or None when it was not made.
    """

    layer: str
    name: str
    group: str
    without: int | None
    answer: int | None
    refusals: tuple[int, ...]
    since: int
    """the version of Landlock's ABI that has the right"""

    @property
    def refused(self) -> bool:
        """Whether the layer refused it, as it should."""
        return self.answer in self.refusals

    @property
    def proved(self) -> bool:
        """Whether it was refused by the layer alone, and not without it."""
        return self.refused and (self.answer == HELD or self.without not in self.refusals)


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found on this machine; `runners.layers` has the words for it."""

    working: int
    """the layers that a zygote would report, as bits of `child.protocol`"""
    abi: int
    """the version of Landlock's ABI, 0 without Landlock"""
    task_limit: int
    """the way in which a child's tasks are limited"""
    attempts: tuple[Tried, ...]


def examine() -> Examination:
    """Make every attempt in a fresh interpreter.

    Raises UsageError where this cannot be done, and MachineError when it cannot be done now.
    """
    if not launch.can_start():
        raise UsageError("the sandbox needs Linux")
    with temporary_folder() as folder:
        try:
            done = subprocess.run(
                launch.command("examine", folder),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env=launch.environment("/"),
                cwd="/",
                timeout=_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise MachineError(f"the examination did not end within {_SECONDS:.0f} s") from None
        except OSError as error:
            raise MachineError(f"cannot start a process: {error.strerror}", SHORT) from None
    if done.returncode:
        raise UsageError(f"the examination failed: {done.stderr.decode(errors='replace')[-400:]}")
    found = json.loads(done.stdout)
    rows = (
        Tried(layer, name, group, without, answer, tuple(refusals), since)
        for layer, name, group, without, answer, refusals, since in found.pop("attempts")
    )
    return Examination(attempts=tuple(rows), **found)
