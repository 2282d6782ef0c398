"""The grader's side of one warm process: its slots, and the children in them."""

from __future__ import annotations

import contextlib
import mmap
import os
import select
import time
from dataclasses import dataclass

from grader.runners import channel, launch, slots
from grader.runners.judge import Ending
from grader.runners.output import LIMIT
from grader.runners.text import decode

LOOK_SECONDS = 0.05
"""how often to look whether a child that does not ring has answered a call"""
_STOP_SECONDS = 5.0
_MOST_FAILURES = 3
_EMPTY, _READY, _BUSY, _ENDING = "empty", "ready", "busy", "ending"


class WarmProcessError(Exception):
    """The warm process ended, and its children with it: no fault of a submission."""


@dataclass(slots=True)
class Slot:
    """One slot as the grader knows it."""

    number: int
    memory: mmap.mmap
    output: int
    go: int
    done: int
    state: str = _EMPTY
    limits: tuple[int, int] = (0, 0)
    rang: bool = False
    ending: Ending | None = None
    frames: int = slots.PAGE
    """where the frames of its last job began; from there on its memory is empty without a child"""

    @property
    def never_went(self) -> bool:
        """Whether its child did not take its job: learner code did not begin.

        Learner code has no way to this counter, so it cannot pretend.
        """
        return bool(select.select([self.go], [], [], 0)[0])


def _fill(slot: Slot, job: bytes, start: int) -> None:
    """Put a job into a slot without a trace of the one before; frames will begin at `start`."""
    end = slots.PAGE + len(job)
    slot.memory[slots.PAGE : end] = job
    slot.memory[end:start] = bytes(start - end)
    if slot.frames > start:
        slot.memory.madvise(mmap.MADV_REMOVE, start, slot.frames - start)
    slot.frames = start
    slots.WORD.pack_into(slot.memory, slots.COMMITTED, 0)
    slots.WORD.pack_into(slot.memory, slots.JOB_LENGTH, len(job))


class WarmClient:
    """Starts children of a warm process and hears how they ended. Not for two threads at once.

    With `ready_early` a child for the next submission is made while one works: that takes a
    third off the time of each, and nothing off the work, so it pays only where a core idles.
    """

    def __init__(self, launched: launch.Launched, ready_early: bool) -> None:
        self._launched = launched
        self._ready_early = ready_early
        self._slots = [
            Slot(number, mmap.mmap(memory, slots.SIZE), output, go, done)
            for number, (memory, output, go, done) in enumerate(launched.slots)
        ]
        self._by_done = {slot.done: slot for slot in self._slots}
        self._poll = select.poll()
        for descriptor in (launched.events, *self._by_done):
            self._poll.register(descriptor, select.POLLIN)
        self._layers: int | None = None
        self._failures = 0
        self._closed = False

    @property
    def free(self) -> int:
        """How many children could be started without waiting."""
        return sum(slot.state in (_EMPTY, _READY) for slot in self._slots)

    def layers(self, timeout: float) -> int:
        """Return which layers of the sandbox work here, as `confine.enter.trial` found."""
        ends = time.monotonic() + timeout
        while self._layers is None:
            if time.monotonic() > ends:
                raise WarmProcessError("it did not say what works")
            self.pump(0.1)
        return self._layers

    def start(self, job: bytes, memory_mb: int, cpu_seconds: int) -> SlotChild:
        """Give a job to a child and return it; ValueError when the inputs are too large."""
        needed = slots.frames_start(len(job)) + channel.RESULT_BUDGET
        if needed + slots.SIZE // 8 > slots.SIZE:
            raise ValueError(f"inputs of {len(job) >> 20} MiB are more than a child can take")
        return SlotChild(self, job, (memory_mb, cpu_seconds))

    def give(self, job: bytes, limits: tuple[int, int]) -> Slot:
        """Give a job to a ready child, or to one that is being made; waits for a free slot."""
        slot = self._take(limits)
        slot.state, slot.rang, slot.ending = _BUSY, False, None
        _fill(slot, job, slots.frames_start(len(job)))
        os.write(slot.go, slots.WORD.pack(1))
        if self._ready_early:
            self._prepare(limits)
        return slot

    def _prepare(self, limits: tuple[int, int]) -> None:
        """Have one child ready for the submission to come, when a slot is empty."""
        slot = self._first(_EMPTY)
        if slot and not self._first(_READY):
            self._fork(slot, limits, early=True)

    def pump(self, timeout: float) -> None:
        """Wait at most `timeout` s for anything to happen, and take note of it."""
        for descriptor, _ in self._poll.poll(max(0, round(timeout * 1000 + 0.5))):
            if descriptor == self._launched.events:
                self._hear()
            else:
                with contextlib.suppress(BlockingIOError):
                    os.read(descriptor, 8)
                self._by_done[descriptor].rang = True

    def tell(
        self, what: int, slot: Slot, limits: tuple[int, int] = (0, 0), early: bool = False
    ) -> None:
        """Send a command."""
        command = slots.COMMAND.pack(what, slot.number, early, *limits)
        try:
            os.write(self._launched.commands, command)
        except BrokenPipeError:
            raise WarmProcessError(self.log()) from None

    def release(self, slot: Slot) -> None:
        """End a child whose answers were taken; its slot is free once it is gone."""
        if slot.state == _BUSY:
            slot.state = _ENDING
            self.tell(slots.KILL, slot)

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
                if slot.state == _READY and slot.limits == limits:
                    return slot
            slot_or_none = self._first(_EMPTY)
            if slot_or_none:
                self._fork(slot_or_none, limits)
                return slot_or_none
            other = self._first(_READY)
            if other:  # ready, but for another problem's limits
                other.state = _ENDING
                self.tell(slots.KILL, other)
            if time.monotonic() > ends:
                raise WarmProcessError("no child ended in time")
            self.pump(LOOK_SECONDS)

    def _first(self, state: str) -> Slot | None:
        return next((slot for slot in self._slots if slot.state == state), None)

    def _fork(self, slot: Slot, limits: tuple[int, int], early: bool = False) -> None:
        self.tell(slots.FORK, slot, limits, early)
        slot.state, slot.limits = _READY, limits

    def _hear(self) -> None:
        data = os.read(self._launched.events, slots.EVENT.size * 64)
        if not data:
            raise WarmProcessError(self.log())
        for what, number, _, status, peak in slots.EVENT.iter_unpack(data):
            if what == slots.TRIED:
                self._layers = status
                continue
            slot = self._slots[number]
            flooded = os.fstat(slot.output).st_size >= LIMIT
            left = status if what == slots.EXITED else None
            slot.ending = Ending(left, peak / 1024, flooded)
            if slot.state == _BUSY:
                continue
            self._failures = self._failures + 1 if slot.state == _READY else 0
            self.clear(slot)
            if self._failures >= _MOST_FAILURES:
                raise RuntimeError(f"no child could enter the sandbox ({status}): {self.log()}")

    def clear(self, slot: Slot) -> None:
        """Make a slot whose child is gone as new: nothing of one submission meets the next.

        Its job stays, which `_fill` writes over, so that its pages need not be made again.
        """
        slot.memory.madvise(mmap.MADV_REMOVE, slot.frames)
        os.ftruncate(slot.output, 0)
        if slot.never_went:
            os.read(slot.go, 8)
        slot.state = _EMPTY


class SlotChild:
    """A confined child with a job: see `supervise.Child`."""

    confined = True
    start_seconds = None

    def __init__(self, client: WarmClient, job: bytes, limits: tuple[int, int]) -> None:
        self._client, self._job, self._limits = client, job, limits
        self._slot = client.give(job, limits)
        self._next = self._start = slots.frames_start(len(job))
        self._tries = 1
        self._ending: Ending | None = None
        self._output: bytes | None = None

    @property
    def flooded(self) -> bool:
        """Whether its output is full; the kernel kills it then, unless it ignores that signal."""
        return self._ending is None and os.fstat(self._slot.output).st_size >= LIMIT

    def receive(self, timeout: float) -> bytes | None:
        """Return frame bytes, b"" when none came within `timeout` s, None after its end."""
        ends = time.monotonic() + timeout
        while True:
            gone = self._slot.ending is not None
            if data := self._committed():
                return data
            left = ends - time.monotonic()
            if gone and self._slot.never_went:
                self._try_again()
            elif gone:
                return None
            if left <= 0:
                return b""
            self._client.pump(min(left, LOOK_SECONDS))

    def _try_again(self) -> None:
        """Give the job to another child: this one ended before it took it (killed from outside)."""
        if self._tries == _MOST_FAILURES:
            raise RuntimeError(f"no child took its job: {self.output().decode(errors='replace')}")
        self._tries += 1
        self._client.clear(self._slot)
        self._slot = self._client.give(self._job, self._limits)

    def _committed(self) -> bytes:
        """Return a copy of the frames that were completed since the last look."""
        memory = self._slot.memory
        (committed,) = slots.WORD.unpack_from(memory, slots.COMMITTED)
        end = min(self._start + committed, slots.SIZE)
        data = memory[self._next : end] if end > self._next else b""
        self._next += len(data)
        return data

    def ask_trace(self, timeout: float) -> None:
        """Have the warm process signal it; wait until its output grows and rests."""
        before = size = os.fstat(self._slot.output).st_size
        self._client.tell(slots.TRACE, self._slot)
        ends = time.monotonic() + timeout
        while time.monotonic() < ends:
            self._client.pump(0.002)
            now = os.fstat(self._slot.output).st_size
            if now == size != before and self.output().endswith(b"+\0"):
                return
            size = now

    def output(self) -> bytes:
        """Return what it wrote so far."""
        if self._output is not None:
            return self._output
        size = os.fstat(self._slot.output).st_size
        return os.pread(self._slot.output, LIMIT, 0) if size else b""

    def stop(self) -> Ending:
        """Have it killed, and wait until it is gone."""
        if self._ending is None:
            self._client.tell(slots.KILL, self._slot)
            ends = time.monotonic() + _STOP_SECONDS
            while self._slot.ending is None:
                if time.monotonic() > ends:
                    raise WarmProcessError("a killed child did not end")
                self._client.pump(LOOK_SECONDS)
            self._output = self.output()
            self._ending = self._slot.ending
            self._client.clear(self._slot)
        return self._ending

    def release(self) -> None:
        """Let go of a child that has answered everything."""
        if self._ending is None:
            self._output = self.output()
            self._ending = Ending(0)
            if self._slot.ending is None:
                self._client.release(self._slot)
            else:
                self._client.clear(self._slot)
