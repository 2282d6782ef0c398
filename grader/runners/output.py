"""Split the output of a child at its markers, and read the last stack trace in it.

The learner's code controls every byte, so all of this takes time that is linear in the length of
the output. Traces are searched in the last 64 KiB only: `faulthandler` writes them last.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass

from grader.text import decode

_KEPT = 4096
"""bytes of output kept for one call"""
_TRACE_BYTES = 64 * 1024
_HEADERS = (b"Stack", b"Current thread 0x", b"Thread 0x")
_HEADER_END = b"(most recent call first):\n"
_INTRODUCTIONS = (b"Fatal Python error", b"Windows fatal exception", b"Timeout (")
"""beginnings of the lines that `faulthandler` writes, CPython 3.11 to 3.14"""
_LONGEST_HEADER = 500
"""bytes at the end of a line in which its header is searched"""
_FRAME = re.compile(r'^  File "(.*)", line (\d{1,9}) in (.{1,200})$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Trace:
    """A stack of Python frames: path, line, function, innermost first.

    `alive` is true when the interpreter was running Python code, not one long C call.
    """

    frames: tuple[tuple[str, int, str], ...] = ()
    alive: bool = False


class Output:
    """The bytes of one child's output stream, split at the marker of its request.

    `trace` is the last stack that `faulthandler` wrote.
    """

    def __init__(self, data: bytes, marker: str) -> None:
        self.data = data
        alive = f"\0{marker}+\0".encode("ascii")
        start = max(0, len(data) - _TRACE_BYTES)
        kept, block = _split_traces(data[start:])
        frames = _FRAME.findall(decode(block, _TRACE_BYTES))
        self.trace = Trace(
            tuple((path, int(line), name) for path, line, name in frames),
            bool(frames) and alive in data[start:],
        )
        separator = f"\0{marker}\0".encode("ascii")
        self._parts = (data[:start] + kept).replace(alive, b"").split(separator)

    def of(self, part: int) -> str:
        """Return the clean text of one part: 0 of loading the file, 1 of the first call, ..."""
        return printed(self._parts[part]) if part < len(self._parts) else ""


def printed(data: bytes) -> str:
    """Return the output of one call as clean text of at most `_KEPT` bytes."""
    text = decode(data[:_KEPT], _KEPT)
    left_out = len(data) - _KEPT
    return text + (f"\n... {left_out} more bytes" if left_out > 0 else "")


def _split_traces(data: bytes) -> tuple[bytes, bytes]:
    """Return `data` without the traces in it, and the last trace."""
    lines = io.BytesIO(data).readlines()  # unlike `splitlines`, it ends lines at line feeds only
    kept: list[bytes] = []
    block: list[bytes] = []
    at = 0
    while at < len(lines):
        start = _last_of(_HEADERS, lines[at]) if lines[at].endswith(_HEADER_END) else -1
        if start < 0:
            kept.append(lines[at])
            at += 1
            continue
        if start > 0:
            kept.append(lines[at][:start])
        else:
            _drop_introduction(kept)
        block = [lines[at]]
        at += 1
        while at < len(lines) and lines[at].startswith(b"  ") and lines[at].endswith(b"\n"):
            block.append(lines[at])
            at += 1
        blank = at < len(lines) and lines[at] == b"\n"
        if lines[at + blank : at + blank + 1] and lines[at + blank].startswith(b"Extension mod"):
            at += blank + 1
    return b"".join(kept), b"".join(block)


def _drop_introduction(kept: list[bytes]) -> None:
    """Remove the line that names the reason of a trace, and the empty line after it."""
    blank = bool(kept) and kept[-1] == b"\n"
    position = len(kept) - 1 - blank
    start = _last_of(_INTRODUCTIONS, kept[position]) if position >= 0 else -1
    if start >= 0:
        kept[position:] = [kept[position][:start]]


def _last_of(words: tuple[bytes, ...], line: bytes) -> int:
    """Return the index of the last word near the end of a line, or -1."""
    return max(line.rfind(word, -_LONGEST_HEADER) for word in words)
