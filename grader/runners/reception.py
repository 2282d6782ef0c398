"""The grader's reading of a child's frames: their order and their sizes.

Every length is checked against what is left of the budget before the body is awaited; calls are
answered in order, each once, only after the file was loaded. Anything else is a `ProtocolError`,
the only exception that `Reception.feed` raises. `messages` reads what the frames say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from grader.runners import channel, messages
from grader.runners.messages import (
    End,
    Hello,
    Message,
    ProtocolError,
    Raised,
    Ready,
    Refused,
)


@dataclass(slots=True)
class Reception:
    """Takes a child's bytes as they come and gives checked messages.

    `calls` is how many calls the child was given, `budget` the bytes that all its arrays may
    have. Holds at most one incomplete frame.
    """

    calls: int
    budget: int = channel.RESULT_BUDGET
    answered: int = 0
    _said_hello: bool = False
    _ready: bool = False
    _over: bool = False
    _buffer: bytearray = field(default_factory=bytearray)
    _header: tuple[()] | tuple[int, int, int, int] = ()
    _wanted: int = channel.HEADER.size

    def feed(self, data: bytes) -> Iterator[Message]:
        """Yield the messages that `data` completes; then ProtocolError if a wrong byte follows.

        So what was said before a wrong byte counts, however the bytes were cut on their way.
        """
        self._buffer += data
        while len(self._buffer) >= self._wanted:
            if not self._header:
                self._header = self._read_header()
                self._wanted += self._header[2] + self._header[3]
                continue
            kind, index, meta, payload = self._header
            frame = bytes(memoryview(self._buffer)[: self._wanted])
            del self._buffer[: self._wanted]
            self._header, self._wanted = (), channel.HEADER.size
            body = channel.HEADER.size + meta
            facts = messages.read_json(frame[channel.HEADER.size : body]) if meta else None
            self.budget -= payload
            yield self._message(kind, index, facts, memoryview(frame)[body:])
        if self._over and self._buffer:
            raise ProtocolError("bytes after the end")

    def _read_header(self) -> tuple[int, int, int, int]:
        magic, kind, index, meta, payload = channel.HEADER.unpack_from(self._buffer)
        if magic != channel.MAGIC:
            raise ProtocolError("a frame without its magic")
        if self._over:
            raise ProtocolError("a frame after the end")
        if meta > channel.META_LIMIT or payload > self.budget:
            raise ProtocolError("a frame larger than its budget")
        if payload and kind != channel.RETURNED:
            raise ProtocolError("a payload where none belongs")
        self._check_order(kind, index)
        return kind, index, meta, payload

    def _check_order(self, kind: int, index: int) -> None:
        if kind == channel.HELLO:
            right = not self._said_hello
        elif kind in (channel.READY, channel.REFUSED):
            right = self._said_hello and not self._ready
        elif kind in (channel.RETURNED, channel.RAISED):
            right = self._ready and index == self.answered < self.calls
        elif kind == channel.END:
            right = self._ready and self.answered == self.calls
        else:
            raise ProtocolError("a frame of an unknown kind")
        if not right:
            raise ProtocolError("a frame out of order")

    def _message(self, kind: int, index: int, meta: Any, payload: memoryview) -> Message:
        if kind == channel.HELLO:
            self._said_hello = True
            return Hello()
        if kind == channel.READY:
            self._ready = True
            return Ready(messages.read_notes(meta))
        if kind == channel.REFUSED:
            self._over = True
            return Refused(messages.read_facts(meta))
        if kind == channel.END:
            self._over = True
            return End()
        self.answered += 1
        if kind == channel.RAISED:
            return Raised(index, messages.read_facts(meta), messages.read_seconds(meta))
        return messages.read_answer(index, meta, payload)
