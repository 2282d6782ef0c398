"""One slot as the grader knows it: the memory and the output of one child at a time."""

from __future__ import annotations

import mmap
import os
import select
from dataclasses import dataclass

from grader.runners import layout
from grader.runners.handle import Ending

EMPTY, READY, BUSY, ENDING = "empty", "ready", "busy", "ending"
"""no child; one without a job; one with a job; one that is being ended"""


@dataclass(slots=True)
class Slot:
    """Descriptors are those of `launch.Launched`; `layout` says what the memory holds."""

    number: int
    memory: mmap.mmap
    output: int
    go: int
    done: int
    state: str = EMPTY
    limits: tuple[int, int] = (0, 0)
    """of its child: MiB of memory, seconds of CPU time"""
    ending: Ending | None = None
    """of the child that has a job"""
    frames: int = layout.PAGE
    """where the frames of its last job began; from there on its memory is empty without a child"""

    @property
    def never_went(self) -> bool:
        """Whether its child has not taken its job: learner code has not begun.

        Learner code has no way to this counter, so it cannot pretend.
        """
        return bool(select.select([self.go], [], [], 0)[0])

    def fill(self, job: bytes) -> None:
        """Put a job in without a trace of the one before, and let the child go."""
        start, end = layout.frames_start(len(job)), layout.PAGE + len(job)
        self.memory[layout.PAGE : end] = job
        self.memory[end:start] = bytes(start - end)
        if self.frames > start:
            self.memory.madvise(mmap.MADV_REMOVE, start, self.frames - start)
        self.frames = start
        layout.WORD.pack_into(self.memory, layout.COMMITTED, 0)
        layout.WORD.pack_into(self.memory, layout.JOB_LENGTH, len(job))
        self.state, self.ending = BUSY, None
        os.write(self.go, layout.WORD.pack(1))

    def clear(self) -> None:
        """Make it as new, its child being gone: nothing of one submission meets the next.

        Its job stays, which `fill` writes over, so that its pages need not be made again.
        """
        self.memory.madvise(mmap.MADV_REMOVE, self.frames)
        os.ftruncate(self.output, 0)
        if self.never_went:
            os.read(self.go, 8)
        self.state = EMPTY
