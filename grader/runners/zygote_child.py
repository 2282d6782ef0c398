"""The grader's handle of a confined child process."""

from __future__ import annotations

import os
import time

from grader.child import protocol
from grader.errors import SHORT, MachineError
from grader.runners.endings import Ending
from grader.runners.supervision import CHUNK
from grader.runners.zygote_client import ENDING, LOOK_SECONDS, ZygoteClient, ZygoteError

_STOP_SECONDS = 5.0
_MOST_TRIES = 3


class ZygoteChild:
    """A confined child with a request: see `supervision.Child`."""

    confined = True

    def __init__(self, client: ZygoteClient, request: bytes, limits: tuple[int, int]) -> None:
        self._client, self._request, self._limits = client, request, limits
        self._slot = client.give(request, limits)
        self._next = self._start = protocol.frames_start(len(request))
        self._tries = 1
        self._ending: Ending | None = None
        self._output: bytes | None = None

    def receive(self, timeout: float) -> bytes | None:
        """Return the next bytes of frames, b"" when none come within `timeout` s, None at the end.

        Kills a child whose output is full: the kernel's signal for it can be ignored.
        """
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
            elif os.fstat(self._slot.output).st_size >= protocol.OUTPUT_LIMIT:
                self._client.tell(protocol.KILL, self._slot)
            if left <= 0:
                return b""
            self._client.pump(min(left, LOOK_SECONDS))

    def _try_again(self) -> None:
        """Give the request to another child: this one was not forked, or killed before it read it.

        MachineError when it could not be forked, or after some tries.
        """
        ending, said = self._slot.ending, self.output().decode(errors="replace")
        self._slot.clear()
        if ending and ending.refused:
            raise MachineError(f"no child could be started: {os.strerror(ending.refused)}", SHORT)
        if self._tries == _MOST_TRIES:
            raise MachineError(f"no child read its request: {said}")
        self._tries += 1
        self._slot = self._client.give(self._request, self._limits)

    def _committed(self) -> bytes:
        """Return a copy of the next bytes of complete frames, at most `CHUNK`."""
        memory = self._slot.memory
        (committed,) = protocol.WORD.unpack_from(memory, protocol.COMMITTED)
        end = min(self._start + committed, protocol.MEMORY_SIZE, self._next + CHUNK)
        data = memory[self._next : end] if end > self._next else b""
        self._next += len(data)
        return data

    def ask_trace(self, timeout: float) -> None:
        """Ask the zygote to signal the child; wait at most `timeout` s for the whole trace."""
        before = size = os.fstat(self._slot.output).st_size
        self._client.tell(protocol.TRACE, self._slot)
        ends = time.monotonic() + timeout
        while time.monotonic() < ends:
            self._client.pump(0.002)
            now = os.fstat(self._slot.output).st_size
            if now == size != before and self.output().endswith(b"+\0"):
                return
            size = now

    def output(self) -> bytes:
        """Return the output of the child so far, at most `OUTPUT_LIMIT` bytes."""
        if self._output is not None:
            return self._output
        size = os.fstat(self._slot.output).st_size
        return os.pread(self._slot.output, protocol.OUTPUT_LIMIT, 0) if size else b""

    def stop(self) -> Ending:
        """Kill the child and wait for its end; ZygoteError when it does not end."""
        if self._ending is None:
            self._client.tell(protocol.KILL, self._slot)
            ends = time.monotonic() + _STOP_SECONDS
            while self._slot.ending is None:
                if time.monotonic() > ends:
                    raise ZygoteError("a killed child did not end")
                self._client.pump(LOOK_SECONDS)
            self._output = self.output()
            self._ending = self._slot.ending
            self._slot.clear()
        return self._ending

    def release(self) -> None:
        """Free the slot of a child that has answered all calls; do not wait for its end."""
        if self._ending is None:
            self._output = self.output()
            self._ending = Ending(0)
            if self._slot.ending is None:
                self._slot.state = ENDING
                self._client.tell(protocol.KILL, self._slot)
            else:
                self._slot.clear()
