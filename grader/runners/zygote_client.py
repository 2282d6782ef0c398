"""The grader's side of one zygote: its slots, and the children in them."""

from __future__ import annotations

import contextlib
import mmap
import os
import select
import time
from dataclasses import dataclass
from math import ceil

from grader.child import protocol
from grader.runners import launch
from grader.runners.endings import Ending
from grader.text import decode

EMPTY, IDLE, BUSY, ENDING = "empty", "ready", "busy", "ending"
"""no child; one without a request; one with a request; one that is being ended"""


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
    """of the child that has a request"""
    frames: int = protocol.PAGE
    """where the frames of its last request began; from there on its memory is empty when idle"""

    @property
    def never_went(self) -> bool:
        """Whether its child has not taken its request: learner code has not begun.

        Learner code has no way to this counter, so it cannot pretend.
        """
        return bool(select.select([self.go], [], [], 0)[0])

    def fill(self, request: bytes) -> None:
        """Put a request in without a trace of the one before, and let the child go."""
        start, end = protocol.frames_start(len(request)), protocol.PAGE + len(request)
        self.memory[protocol.PAGE : end] = request
        self.memory[end:start] = bytes(start - end)
        if self.frames > start:
            self.memory.madvise(mmap.MADV_REMOVE, start, self.frames - start)
        self.frames = start
        protocol.WORD.pack_into(self.memory, protocol.COMMITTED, 0)
        protocol.WORD.pack_into(self.memory, protocol.REQUEST_LENGTH, len(request))
        self.state, self.ending = BUSY, None
        os.write(self.go, protocol.WORD.pack(1))

    def clear(self) -> None:
        """Make it as new, its child being gone: nothing of one submission meets the next.

        Its request stays, which `fill` writes over, so that its pages need not be made again.
        """
        self.memory.madvise(mmap.MADV_REMOVE, self.frames)
        os.ftruncate(self.output, 0)
        if self.never_went:
            os.read(self.go, 8)
        self.state = EMPTY


LOOK_SECONDS = 0.05
"""how often to look whether a child that does not ring has answered a call"""
_STOP_SECONDS = 5.0
_MOST_FAILURES = 3


class ZygoteError(Exception):
    """The warm process ended, and its children with it: no fault of a submission."""


class ZygoteClient:
    """Starts children of a warm process and hears how they ended. Not for two threads at once."""

    def __init__(self, launched: launch.Launched) -> None:
        self._launched = launched
        self._slots = [
            Slot(number, mmap.mmap(memory, protocol.MEMORY_SIZE), output, go, done)
            for number, (memory, output, go, done) in enumerate(launched.slots)
        ]
        self._poll = select.poll()
        for descriptor in (launched.events, *(slot.done for slot in self._slots)):
            self._poll.register(descriptor, select.POLLIN)
        self._layers: int | None = None
        self._failures = 0
        self._closed = False

    @property
    def free(self) -> int:
        """How many children could be started without waiting."""
        return sum(slot.state in (EMPTY, IDLE) for slot in self._slots)

    def layers(self, timeout: float) -> int:
        """Return which layers of the sandbox work here, as `child.sandbox.enter.trial` found."""
        ends = time.monotonic() + timeout
        while self._layers is None:
            if time.monotonic() > ends:
                raise ZygoteError("it did not say what works")
            self.pump(0.1)
        return self._layers

    def give(self, request: bytes, limits: tuple[int, int]) -> Slot:
        """Give a request to a ready child, or to one that is being made; waits for a free slot.

        `limits` are MiB of memory and seconds of CPU time. ValueError when the inputs are so
        large that the answers would not fit.
        """
        if (
            protocol.frames_start(len(request)) + protocol.RESULT_BUDGET
            > protocol.MEMORY_SIZE * 7 // 8
        ):
            raise ValueError(f"inputs of {len(request) >> 20} MiB are more than a child can take")
        slot = self._take(limits)
        slot.fill(request)
        return slot

    def prepare(self, limits: tuple[int, int]) -> None:
        """Have one child ready for the submission to come, when a slot is empty.

        Made while another works, it takes a third off the time of a submission, and nothing off
        the work, so that it pays only where a core idles.
        """
        slot = self._first(EMPTY)
        if slot and not self._first(IDLE):
            self._fork(slot, limits, early=True)

    def pump(self, timeout: float, beside: int = -1) -> bool:
        """Wait at most `timeout` s for anything to happen, and take note of it.

        Returns whether the descriptor `beside`, -1 for none, can be read.
        """
        if beside >= 0:
            self._poll.register(beside, select.POLLIN)
        ready = [descriptor for descriptor, _ in self._poll.poll(max(0, ceil(timeout * 1000)))]
        if beside >= 0:
            self._poll.unregister(beside)
        for descriptor in ready:
            if descriptor == self._launched.events:
                self._hear()
            elif descriptor != beside:
                with contextlib.suppress(BlockingIOError):
                    os.read(descriptor, 8)
        return beside in ready

    def tell(
        self, what: int, slot: Slot, limits: tuple[int, int] = (0, 0), early: bool = False
    ) -> None:
        """Send a command."""
        command = protocol.COMMAND.pack(what, slot.number, early, *limits)
        try:
            os.write(self._launched.commands, command)
        except BrokenPipeError:
            raise ZygoteError(self.log()) from None

    def log(self) -> str:
        """Return what the warm process itself had to say, for a fault of the grader."""
        size = os.fstat(self._launched.log).st_size
        return decode(os.pread(self._launched.log, 4000, max(0, size - 4000)), 4000)

    def close(self) -> None:
        """End the warm process and its children."""
        if not self._closed:
            self._closed = True
            for slot in self._slots:
                slot.memory.close()
            launch.close(self._launched)

    def _take(self, limits: tuple[int, int]) -> Slot:
        ends = time.monotonic() + _STOP_SECONDS
        while True:
            for slot in self._slots:
                if slot.state == IDLE and slot.limits == limits:
                    return slot
            slot_or_none = self._first(EMPTY)
            if slot_or_none:
                self._fork(slot_or_none, limits)
                return slot_or_none
            other = self._first(IDLE)
            if other:  # ready, but for another problem's limits
                other.state = ENDING
                self.tell(protocol.KILL, other)
            if time.monotonic() > ends:
                raise ZygoteError("no child ended in time")
            self.pump(LOOK_SECONDS)

    def _first(self, state: str) -> Slot | None:
        return next((slot for slot in self._slots if slot.state == state), None)

    def _fork(self, slot: Slot, limits: tuple[int, int], early: bool = False) -> None:
        self.tell(protocol.FORK, slot, limits, early)
        slot.state, slot.limits = IDLE, limits

    def _hear(self) -> None:
        data = os.read(self._launched.events, protocol.EVENT.size * 64)
        if not data:
            raise ZygoteError(self.log())
        for what, number, _, status, peak in protocol.EVENT.iter_unpack(data):
            if what == protocol.TRIED:
                self._layers = status
                continue
            slot = self._slots[number]
            flooded = os.fstat(slot.output).st_size >= protocol.OUTPUT_LIMIT
            left = status if what == protocol.EXITED else None
            slot.ending = Ending(left, peak / 1024, flooded)
            if slot.state == BUSY:
                continue
            self._failures = self._failures + 1 if slot.state == IDLE else 0
            slot.clear()
            if self._failures >= _MOST_FAILURES:
                raise RuntimeError(f"no child could enter the sandbox ({status}): {self.log()}")
