"""The grader's side of one zygote: its slots and the children in them."""

from __future__ import annotations

import contextlib
import mmap
import os
import select
import time
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from grader.child import protocol
from grader.errors import MachineError
from grader.runners import launch
from grader.runners.endings import Ending
from grader.text import decode

EMPTY, IDLE, BUSY, ENDING = "empty", "idle", "busy", "ending"
"""no child; a child without a request; a child with a request; a child that was killed"""


@dataclass(slots=True, eq=False, repr=False)
class Slot:
    """One slot: `launch.Launched` describes the descriptors, `child.protocol` the memory."""

    number: int
    memory: mmap.mmap
    output: int
    go: int
    done: int
    state: str = EMPTY
    limits: tuple[int, int] = (0, 0)
    """limits of the child: MiB of memory, seconds of CPU time"""
    ending: Ending | None = None
    """the end of the child that has the request; None while it runs"""
    frames: int = protocol.PAGE
    """start of the frames of the last request; without a request the memory after it is zero"""

    @property
    def never_went(self) -> bool:
        """Whether the child has not read its request yet, so learner code has not begun.

        Learner code cannot write to this counter.
        """
        return bool(select.select([self.go], [], [], 0)[0])

    def fill(self, request: bytes) -> None:
        """Write a request, erase the previous one, and wake the child."""
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
        """Erase the first page, the frames and the output of a child that has ended.

        The request stays until `fill` overwrites it, so that its pages are allocated only once; no
        learner code runs in between.
        """
        self.memory.madvise(mmap.MADV_REMOVE, self.frames)
        self.memory[: protocol.PAGE] = bytes(protocol.PAGE)
        os.ftruncate(self.output, 0)
        os.lseek(self.output, 0, os.SEEK_SET)  # it told how much the former child printed
        with contextlib.suppress(BlockingIOError):
            os.read(self.done, 8)
        if self.never_went:
            os.read(self.go, 8)
        self.state = EMPTY


LOOK_SECONDS = 0.05
"""how often to look for frames: a child signals the last frame only"""
_STOP_SECONDS = 5.0
_MOST_FAILURES = 3


class Tried(NamedTuple):
    """What a zygote found at its start; see `child.protocol`."""

    working: int
    """the layers that work, as bits"""
    abi: int
    """the version of Landlock's ABI"""
    task_limit: int
    """the way in which a child's tasks are limited"""


class ZygoteError(Exception):
    """The zygote ended, and its children with it. This is not the fault of a submission."""


class ZygoteClient:
    """Starts children of a zygote and receives how they ended. Not thread-safe."""

    def __init__(self, launched: launch.Launched) -> None:
        self._launched = launched
        self._slots = [
            Slot(number, mmap.mmap(memory, protocol.MEMORY_SIZE), output, go, done)
            for number, (memory, output, go, done) in enumerate(launched.slots)
        ]
        self._poll = select.poll()
        for descriptor in (launched.events, *(slot.done for slot in self._slots)):
            self._poll.register(descriptor, select.POLLIN)
        self._tried: Tried | None = None
        self._failures = 0
        self.closed = False

    @property
    def free(self) -> int:
        """The number of children that can get a request without waiting."""
        return sum(slot.state in (EMPTY, IDLE) for slot in self._slots)

    def tried(self, timeout: float) -> Tried:
        """Return what the zygote found when it tried the sandbox.

        ZygoteError when the zygote does not report it within `timeout` s.
        """
        ends = time.monotonic() + timeout
        while self._tried is None:
            if time.monotonic() > ends:
                raise ZygoteError("it did not report its layers")
            self.pump(0.1)
        return self._tried

    def give(self, request: bytes, limits: tuple[int, int]) -> Slot:
        """Give a request to an idle or a new child; wait for a free slot.

        `limits` are MiB of memory and seconds of CPU time. ValueError when the inputs leave too
        little room in the slot for the answers; ZygoteError when no slot becomes free in time.
        """
        if (
            protocol.frames_start(len(request)) + protocol.RESULT_BUDGET
            > protocol.MEMORY_SIZE * 7 // 8
        ):
            raise ValueError(
                f"inputs of {len(request) >> 20} MiB do not fit into the memory of a child"
            )
        slot = self._take(limits)
        slot.fill(request)
        return slot

    def prepare(self, limits: tuple[int, int]) -> None:
        """Start a child for the next submission if a slot is empty and none is idle.

        This saves a third of a submission's time, but no CPU time, so it helps only while a core
        is idle.
        """
        slot = self._first(EMPTY)
        if slot and not self._first(IDLE):
            self._fork(slot, limits, early=True)

    def pump(self, timeout: float, beside: int = -1) -> bool:
        """Wait at most `timeout` s for an event and process all events.

        Returns whether the descriptor `beside` is readable; -1 stands for no descriptor.
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
        """Send a command of `protocol` to the zygote; ZygoteError when it has ended."""
        command = protocol.COMMAND.pack(what, slot.number, early, *limits)
        try:
            os.write(self._launched.commands, command)
        except BrokenPipeError:
            raise ZygoteError(self.log()) from None

    def log(self) -> str:
        """Return the end of the zygote's own output, at most 4000 bytes, to report a fault."""
        size = os.fstat(self._launched.log).st_size
        return decode(os.pread(self._launched.log, 4000, max(0, size - 4000)), 4000)

    def close(self) -> None:
        """Kill the zygote and its children."""
        if not self.closed:
            self.closed = True
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
            if other:  # it has the limits of another problem
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
        for what, number, limit, status, peak, used in protocol.EVENT.iter_unpack(data):
            if what == protocol.TRIED:
                self._tried = Tried(status, number, limit)
                continue
            slot = self._slots[number]
            flooded = os.fstat(slot.output).st_size >= protocol.OUTPUT_LIMIT
            if what == protocol.EXITED:
                slot.ending = Ending(status, peak / 1024, flooded, used / 1000)
            else:
                slot.ending = Ending(None, refused=status)
            if slot.state == BUSY:
                continue
            died = slot.state == IDLE and what == protocol.EXITED
            self._failures = self._failures + 1 if died else 0
            slot.clear()
        if self._failures >= _MOST_FAILURES:
            self._failures = 0  # another attempt starts afresh
            raise MachineError(f"no child could enter the sandbox: {self.log()}")
