"""The grader's strict reading of the frames that a hostile child sends.

Every length is checked against the remaining budget before the body is received. Calls are answered
in order, once each, after the file is loaded. Text is cleaned, numbers are bounded and arrays have
memory of their own. Any other input is a `ProtocolError`, the only exception of `Reception.feed`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from grader.child import answers, protocol
from grader.child.answers import Container
from grader.child.calling import ChildWarning
from grader.child.learner import REFUSED_BY_SYSTEM
from grader.model import Answer, Remark, Value
from grader.text import clean, one_line

_CONTAINERS = ("single", "tuple", "list", "dictionary")
_REFUSALS = ("syntax", "import", "missing")


class ProtocolError(Exception):
    """Bytes that break the protocol of `grader.child.protocol`."""


class Hello(NamedTuple):
    """The child is up and about to load the file."""


class Ready(NamedTuple):
    """The file is loaded and has the entry point."""

    warnings: tuple[ChildWarning, ...]


class End(NamedTuple):
    """Every call was answered."""


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """A child's report of an exception or a refusal: clean text and bounded integers."""

    kind: str = ""
    """of a refusal: syntax, import or missing"""
    type_name: str = ""
    message: str = ""
    frames: tuple[tuple[int, int, str], ...] = ()
    """number of the learner's file, line, function"""
    errno: int = 0
    """error number of a refused system call, or 0"""
    memory: bool = False
    """whether it is a MemoryError"""
    missing: str = ""
    """the module that was not found"""
    file: int | None = None
    """of a syntax error: number of the learner's file, None for other files"""
    line: int | None = None
    column: int | None = None
    defined: tuple[str, ...] = ()
    found: str = ""
    """type of the object that has the entry point's name but cannot be called"""


class Refused(NamedTuple):
    """The file could not be loaded or has no entry point."""

    facts: Facts


class Returned(NamedTuple):
    """A call returned. `call` is its index from 0, `seconds` wall-clock time."""

    call: int
    answer: Answer
    seconds: float
    notes: tuple[Remark, ...]
    changed: tuple[int, ...]
    """positions of changed arguments, ascending; not checked against the number of arguments"""
    warnings: tuple[ChildWarning, ...]


class Raised(NamedTuple):
    """A call raised an exception. `call` is its index from 0, `seconds` wall-clock time."""

    call: int
    facts: Facts
    seconds: float


Message = Hello | Ready | Refused | Returned | Raised | End


def read_answer(index: int, meta: Any, payload: memoryview) -> Returned:
    """Return a checked answer; its arrays use exactly the bytes of `payload`.

    ProtocolError for a wrong type, an unknown container, dtype or key, or a wrong size.
    """
    container, name, listed, names, seconds, changed, notes, warnings = _list(meta, 8)
    if not isinstance(container, str) or container not in _CONTAINERS:
        raise ProtocolError("an unknown container")
    listed = _list(listed)
    if len(listed) > protocol.VALUES_LIMIT or (container == "single" and len(listed) != 1):
        raise ProtocolError("a wrong number of values")
    keys = _texts(names, protocol.VALUES_LIMIT)
    if len(keys) != (len(listed) if container == "dictionary" else 0):
        raise ProtocolError("a wrong number of names")
    values: list[Value] = []
    start = 0
    for item in listed:
        value, size = _read_value(item, payload, start)
        start += size
        values.append(value)
    if start != len(payload):
        raise ProtocolError("a payload larger than its arrays")
    answer = Answer(cast(Container, container), _text(name), tuple(values), keys)
    return Returned(
        index,
        answer,
        _seconds(seconds),
        _notes(notes),
        _positions(changed),
        read_warnings(warnings),
    )


def _read_value(item: Any, payload: memoryview, start: int) -> tuple[Value, int]:
    name, dtype, why_not, code, shape = _list(item, 5)
    if code == "":
        if dtype != "":
            raise ProtocolError("a dtype without an array")
        return Value(_text(name), None, "", _remark(why_not, answers.WHY_NOT)), 0
    array = _read_array(code, shape, payload[start:])
    return Value(_text(name), array, _dtype_of(array, dtype)), array.nbytes


def _read_array(code: Any, shape: Any, payload: memoryview) -> NDArray[Any]:
    """Return the array at the start of `payload`, in native byte order."""
    if not isinstance(code, str) or code not in protocol.DTYPES:
        raise ProtocolError("an unknown dtype")
    kind = np.dtype(code)
    shape = _list(shape)
    if len(shape) > protocol.AXES_LIMIT:
        raise ProtocolError("too many axes")
    count = 1
    for length in shape:
        if type(length) is not int or not 0 <= length < protocol.AXIS_LIMIT:
            raise ProtocolError("an impossible shape")
        count *= length
    size = count * kind.itemsize
    if size > len(payload):
        raise ProtocolError("an array larger than its payload")
    flat = np.frombuffer(payload[:size], kind)
    try:
        array = flat.astype(kind.newbyteorder("=")).reshape(shape)
    except ValueError:  # the axes of an empty array are too long for NumPy
        raise ProtocolError("an impossible shape") from None
    return array.view(np.uint8) != 0 if kind.kind == "b" else array


def _dtype_of(array: NDArray[Any], text: Any) -> str:
    """Return the child's text of a dtype if an array of it is sent as `array`, else its name."""
    if text == "":
        return ""
    if not isinstance(text, str) or text not in answers.dtypes():
        raise ProtocolError("an unknown name of a dtype")
    _, sent = answers.dtypes()[text]
    return text if sent == array.dtype else str(array.dtype.name)


def read_facts(meta: Any) -> Facts:
    """Return checked facts; ProtocolError when a field has the wrong type."""
    given = _dictionary(meta)
    frames = []
    for item in _list(given.get("frames", []))[: protocol.FRAMES_LIMIT]:
        file, line, function = _list(item, 3)
        frames.append((_integer(file) or 0, _integer(line) or 0, _text(function)))
    errno, memory = _integer(given.get("errno", 0)) or 0, given.get("memory", False)
    if errno and errno not in REFUSED_BY_SYSTEM:
        raise ProtocolError("an error number of no refused system call")
    if type(memory) is not bool:
        raise ProtocolError("meta of the wrong type")
    return Facts(
        kind=_text(given.get("kind", "")),
        type_name=_text(given.get("type", "")),
        message=_text(given.get("message", ""), protocol.MESSAGE_LIMIT),
        frames=tuple(frames),
        errno=errno,
        memory=memory,
        missing=_text(given.get("missing", "")),
        file=_integer(given.get("file")),
        line=_integer(given.get("line")),
        column=_integer(given.get("column")),
        defined=_texts(given.get("defined", []), protocol.DEFINED_LIMIT),
        found=_text(given.get("found", "")),
    )


def read_json(text: bytes | bytearray) -> Any:
    """Return the decoded JSON of a meta; ProtocolError when it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ProtocolError("meta that is not JSON") from None


def read_warnings(value: Any) -> tuple[ChildWarning, ...]:
    """Return at most `WARNINGS_LIMIT` checked warnings; ProtocolError for a wrong type."""
    found = _list(value)[: protocol.WARNINGS_LIMIT]
    return tuple(_warned(*_list(item, 4)) for item in found)


def _warned(category: Any, text: Any, file: Any, line: Any) -> ChildWarning:
    text = _text(text, protocol.WARNING_LIMIT)
    return ChildWarning(_text(category), text, _integer(file), _integer(line) or 0)


def _notes(value: Any) -> tuple[Remark, ...]:
    found = _list(value)[: protocol.NOTES_LIMIT]
    return tuple(_remark(item, answers.NOTES) for item in found)


def _remark(value: Any, known: frozenset[str]) -> Remark:
    key, detail, inside = _list(value, 3)
    if not isinstance(key, str) or key not in known:
        raise ProtocolError("an unknown remark")
    if key in answers.COUNTED:
        return Remark(key, _number(detail), _text(inside))
    if detail != "" and key not in answers.NAMED:
        raise ProtocolError("an unknown detail of a remark")
    return Remark(key, _text(detail), _text(inside))


def _positions(value: Any) -> tuple[int, ...]:
    found = [_number(item) for item in _list(value)]
    if found and found != sorted(set(found)):
        raise ProtocolError("impossible positions")
    return tuple(found)


def read_seconds(meta: Any) -> float:
    """Return the wall-clock seconds of a call that raised; ProtocolError for a wrong type."""
    return _seconds(_dictionary(meta).get("seconds"))


def _dictionary(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProtocolError("meta of the wrong type")
    return value


def _list(value: Any, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise ProtocolError("meta of the wrong type")
    return value


def _text(value: Any, longest: int = protocol.NAME_LIMIT) -> str:
    if not isinstance(value, str):
        raise ProtocolError("meta of the wrong type")
    text = clean(value, longest)
    # A name with line feeds could forge lines of a report.
    return one_line(text) if longest == protocol.NAME_LIMIT else text


def _texts(value: Any, most: int) -> tuple[str, ...]:
    return tuple(_text(item) for item in _list(value)[:most])


def _integer(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < protocol.AXIS_LIMIT:
        raise ProtocolError("an impossible number")
    return value


def _number(value: Any) -> int:
    number = _integer(value)
    if number is None:
        raise ProtocolError("meta of the wrong type")
    return number


def _seconds(value: Any) -> float:
    if type(value) is not float or not math.isfinite(value) or value < 0:
        raise ProtocolError("an impossible time")
    return min(value, 1e6)


@dataclass(slots=True, eq=False, repr=False)
class Reception:
    """Decodes a child's bytes to checked messages.

    `calls` is the number of calls in the child's request, `budget` the remaining bytes for its
    arrays, `answered` the number of finished calls. Holds at most one incomplete frame.
    """

    calls: int
    budget: int = protocol.RESULT_BUDGET
    answered: int = 0
    _said_hello: bool = False
    _ready: bool = False
    _over: bool = False
    _header: tuple[()] | tuple[int, int, int, int] = ()
    _meta: bytes | bytearray | None = None
    _wanted: int = protocol.HEADER.size
    """the size of the part that comes next: the header, the meta or the payload of a frame"""
    _part: bytearray = field(default_factory=bytearray)
    """the part while it is incomplete, in its whole size"""
    _filled: int = 0

    def feed(self, data: bytes) -> Iterator[Message]:
        """Yield the messages that `data` completes; ProtocolError at the first wrong byte.

        Messages before a wrong byte are yielded first, so the result does not depend on how the
        bytes were split.
        """
        view, start = memoryview(data), 0
        while start < len(data):
            if self._over:
                raise ProtocolError("bytes after the end")
            piece = view[start : start + self._wanted - self._filled]
            start += len(piece)
            if len(piece) == self._wanted:
                yield from self._completed(bytes(piece))
                continue
            if not self._filled:
                self._part = bytearray(self._wanted)
            self._part[self._filled : self._filled + len(piece)] = piece
            self._filled += len(piece)
            if self._filled == self._wanted:
                part, self._part, self._filled = self._part, bytearray(), 0
                yield from self._completed(part)

    def _completed(self, part: bytes | bytearray) -> Iterator[Message]:
        """Take a complete part; yield the message when it was the last of its frame."""
        if not self._header:
            self._header = self._read_header(part)
        elif self._meta is None:
            self._meta = part
        else:
            yield self._finished(part)
            return
        _, _, meta, payload = self._header
        if self._meta is None and meta:
            self._wanted = meta
            return
        self._meta = self._meta or b""
        self._wanted = payload
        if not payload:
            yield self._finished(b"")

    def _finished(self, payload: bytes | bytearray) -> Message:
        assert self._header
        (kind, index, _, size), meta = self._header, self._meta
        self._header, self._meta, self._wanted = (), None, protocol.HEADER.size
        self.budget -= size
        return self._message(kind, index, read_json(meta) if meta else None, memoryview(payload))

    def _read_header(self, header: bytes | bytearray) -> tuple[int, int, int, int]:
        magic, kind, index, meta, payload = protocol.HEADER.unpack(header)
        if magic != protocol.MAGIC:
            raise ProtocolError("a frame with a wrong magic")
        if meta > protocol.META_LIMIT or payload > self.budget:
            raise ProtocolError("a frame larger than its budget")
        if payload and kind != protocol.RETURNED:
            raise ProtocolError("an unexpected payload")
        self._check_order(kind, index)
        return kind, index, meta, payload

    def _check_order(self, kind: int, index: int) -> None:
        if kind == protocol.HELLO:
            right = not self._said_hello
        elif kind in (protocol.READY, protocol.REFUSED):
            right = self._said_hello and not self._ready
        elif kind in (protocol.RETURNED, protocol.RAISED):
            right = self._ready and index == self.answered < self.calls
        elif kind == protocol.END:
            right = self._ready and self.answered == self.calls
        else:
            raise ProtocolError("a frame of an unknown kind")
        if not right:
            raise ProtocolError("a frame out of order")

    def _message(self, kind: int, index: int, meta: Any, payload: memoryview) -> Message:
        if kind == protocol.HELLO:
            self._said_hello = True
            return Hello()
        if kind == protocol.READY:
            self._ready = True
            return Ready(read_warnings(_dictionary(meta).get("warnings")))
        if kind == protocol.REFUSED:
            self._over = True
            facts = read_facts(meta)
            if facts.kind not in _REFUSALS:
                raise ProtocolError("an unknown refusal")
            return Refused(facts)
        if kind == protocol.END:
            self._over = True
            return End()
        self.answered += 1
        if kind == protocol.RAISED:
            return Raised(index, read_facts(meta), read_seconds(meta))
        return read_answer(index, meta, payload)
