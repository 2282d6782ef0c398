"""What a supervision holds of a child, whichever runner started it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol


class Ending(NamedTuple):
    """How a child's process ended. `status` is an exit status, or minus a signal's number."""

    status: int | None
    peak_mb: float = 0.0
    flooded: bool = False
    """it wrote more than `output.LIMIT`"""


class Child(Protocol):
    """A process that was given a job."""

    @property
    def confined(self) -> bool:
        """Whether a sandbox answers some of its system calls."""

    @property
    def waiting(self) -> bool:
        """Whether it has not taken its job yet, so that no learner code has run."""

    @property
    def flooded(self) -> bool:
        """Whether it wrote more than `output.LIMIT`."""

    def receive(self, timeout: float) -> bytes | None:
        """Return frame bytes that arrived, b"" after `timeout` s without, None after its end."""

    def ask_trace(self, timeout: float) -> None:
        """Make it write its stack to its output, where the system can; wait for it a little."""

    def output(self) -> bytes:
        """Return what it wrote so far."""

    def stop(self) -> Ending:
        """End it and all it started, free everything, and return how it ended."""

    def release(self) -> None:
        """Let go of a child that has answered everything; its output can still be read."""


Start = Callable[[bytes, str], Child]
"""takes a job's bytes and its marker"""
