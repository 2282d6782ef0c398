"""What a child's frames say, checked: clean text, exact numbers, arrays that share no memory.

The child is hostile; whatever has the wrong type or size is a `ProtocolError`.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from grader.model import Answer, Value
from grader.runners import channel
from grader.runners.text import clean

Container = Literal["single", "tuple", "list", "dictionary"]
_CONTAINERS = ("single", "tuple", "list", "dictionary")
_LONGEST_NAME = 80


class ProtocolError(Exception):
    """Bytes that no honest child sends."""


class Hello(NamedTuple):
    """The child is up and about to load the file."""


class Ready(NamedTuple):
    """The file is loaded and has the entry point."""

    notes: tuple[str, ...]


class End(NamedTuple):
    """Every call was answered."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a child says about an exception or a refusal: clean text and exact integers."""

    kind: str = ""
    """of a refusal: syntax, import or missing"""
    type_name: str = ""
    message: str = ""
    frames: tuple[tuple[str, int, str], ...] = ()
    """path, line, function"""
    errno: int = 0
    """of the system's refusal behind it, or 0"""
    memory: bool = False
    missing: str = ""
    """the module that was not found"""
    path: str = ""
    line: int | None = None
    column: int | None = None
    defined: tuple[str, ...] = ()
    found: str = ""
    """the type of what stands where the entry point should be"""


class Refused(NamedTuple):
    """The file cannot be called."""

    facts: Facts


class Returned(NamedTuple):
    """A call came back."""

    call: int
    answer: Answer
    seconds: float
    notes: tuple[str, ...]


class Raised(NamedTuple):
    """A call raised."""

    call: int
    facts: Facts
    seconds: float


Message = Hello | Ready | Refused | Returned | Raised | End


def read_answer(index: int, meta: Any, payload: memoryview) -> Returned:
    """Return a checked answer; its arrays have exactly the bytes of `payload`."""
    container, name, listed, names, seconds, notes = _list(meta, 6)
    if not isinstance(container, str) or container not in _CONTAINERS:
        raise ProtocolError("an unknown container")
    listed = _list(listed)
    if len(listed) > channel.LISTED_LIMIT or (container == "single" and len(listed) != 1):
        raise ProtocolError("a wrong number of values")
    keys = _texts(names, channel.LISTED_LIMIT)
    if len(keys) != (len(listed) if container == "dictionary" else 0):
        raise ProtocolError("a wrong number of names")
    values: list[Value] = []
    start = arrays = 0
    for item in listed:
        value, size = _read_value(item, payload, start)
        arrays += value.array is not None
        start += size
        values.append(value)
    if start != len(payload) or arrays > channel.VALUES_LIMIT:
        raise ProtocolError("a payload that its values do not explain")
    answer = Answer(cast(Container, container), _text(name), tuple(values), keys)
    return Returned(index, answer, _seconds(seconds), _texts(notes))


def _read_value(item: Any, payload: memoryview, start: int) -> tuple[Value, int]:
    name, dtype, why_not, code, shape = _list(item, 5)
    if code == "":
        return Value(_text(name), None, _text(dtype), _text(why_not, 200) or "nothing"), 0
    if not isinstance(code, str) or code not in channel.DTYPES:
        raise ProtocolError("an unknown dtype")
    kind = np.dtype(code)
    shape = _list(shape)
    if len(shape) > channel.AXES_LIMIT:
        raise ProtocolError("too many axes")
    count = 1
    for length in shape:
        if type(length) is not int or not 0 <= length < channel.AXIS_LIMIT:
            raise ProtocolError("an impossible shape")
        count *= length
    size = count * kind.itemsize
    if size > len(payload) - start:
        raise ProtocolError("an array larger than its payload")
    flat = np.frombuffer(payload[start : start + size], kind)
    try:
        array = flat.astype(kind.newbyteorder("=")).reshape(shape)
    except ValueError:  # more axes of huge length than an empty array may have
        raise ProtocolError("an impossible shape") from None
    if kind.kind == "b":
        array = array.view(np.uint8) != 0
    return Value(_text(name), array, _text(dtype)), size


def read_facts(meta: Any) -> Facts:
    """Return checked facts; ProtocolError when a field has the wrong type."""
    given = _dictionary(meta)
    frames = []
    for item in _list(given.get("frames", [])):
        path, line, function = _list(item, 3)
        frames.append((_text(path, 300), _integer(line) or 0, _text(function)))
    return Facts(
        kind=_text(given.get("kind", "")),
        type_name=_text(given.get("type", "")),
        message=_text(given.get("message", ""), 1000),
        frames=tuple(frames),
        errno=_integer(given.get("errno", 0)) or 0,
        memory=given.get("memory", False) is True,
        missing=_text(given.get("missing", "")),
        path=_text(given.get("path", ""), 300),
        line=_integer(given.get("line")),
        column=_integer(given.get("column")),
        defined=_texts(given.get("defined", [])),
        found=_text(given.get("found", "")),
    )


def read_json(text: bytes) -> Any:
    """Return what a meta says; ProtocolError when it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ProtocolError("meta that is not JSON") from None


def read_notes(meta: Any) -> tuple[str, ...]:
    """Return the notes of a file that was loaded."""
    return _texts(_dictionary(meta).get("notes", []))


def read_seconds(meta: Any) -> float:
    """Return how long a call took that raised."""
    return _seconds(_dictionary(meta).get("seconds"))


def _dictionary(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProtocolError("meta of the wrong kind")
    return value


def _list(value: Any, length: int | None = None) -> list[Any]:
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise ProtocolError("meta of the wrong kind")
    return value


def _text(value: Any, longest: int = _LONGEST_NAME) -> str:
    if not isinstance(value, str):
        raise ProtocolError("meta of the wrong kind")
    return clean(value, longest)


def _texts(value: Any, most: int = 16) -> tuple[str, ...]:
    return tuple(_text(item, 300) for item in _list(value)[:most])


def _integer(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < channel.AXIS_LIMIT:
        raise ProtocolError("an impossible number")
    return value


def _seconds(value: Any) -> float:
    if type(value) is not float or not math.isfinite(value) or value < 0:
        raise ProtocolError("an impossible time")
    return min(value, 1e6)
