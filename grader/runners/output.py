"""What a child wrote to stdout and stderr, split by call at the job's marker."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.runners.text import decode

LIMIT = 2**20
"""bytes of output of one child; more ends it"""
_KEPT = 4096
"""bytes of output kept for one call"""


class Output:
    """The bytes of one child's output stream, split at the marker of its job."""

    def __init__(self, data: bytes, marker: str) -> None:
        self.data = data
        separator = f"\0{marker}\0".encode("ascii")
        self._parts = _ALIVE.sub(b"", _TRACES.sub(b"", data)).split(separator)

    def of(self, part: int) -> str:
        """Return clean text of one part: 0 while loading, 1 during the first call, ..."""
        if part >= len(self._parts):
            return ""
        text = decode(self._parts[part][:_KEPT], _KEPT)
        left_out = len(self._parts[part]) - _KEPT
        return text + (f"\n... {left_out} more bytes" if left_out > 0 else "")


@dataclass(frozen=True, slots=True)
class Trace:
    """Where Python was: path, line, function, innermost first; `alive` when it still ran."""

    frames: tuple[tuple[str, int, str], ...] = ()
    alive: bool = False


def read_trace(data: bytes, marker: str) -> Trace:
    """Return the last stack that `faulthandler` wrote in `data`."""
    blocks = _TRACES.findall(data)
    if not blocks:
        return Trace()
    text = decode(blocks[-1], 2**16)
    frames = tuple((path, int(line), name) for path, line, name in _FRAME.findall(text))
    return Trace(frames, f"\0{marker}+\0".encode("ascii") in data)


_TRACES = re.compile(
    rb"(?:(?:Fatal Python error|Windows fatal exception|Timeout \()[^\n]*\n\n?)?"
    rb"(?:Stack|Current thread 0x|Thread 0x)[^\n]*\(most recent call first\):\n"
    rb"(?:  [^\n]*\n)*(?:\n?Extension modules: [^\n]*\n?)?"
)
"""what `faulthandler` writes, CPython 3.11 to 3.14"""
_ALIVE = re.compile(rb"\0[0-9a-f]+\+\0")
_FRAME = re.compile(r'^  File "(.*)", line (\d{1,9}) in (.{1,200})$', re.MULTILINE)
