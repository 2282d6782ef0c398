"""The learner's own lines, by path and number, from the bytes that were handed in."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable

from grader.model import Frame, Submission
from grader.runners.text import clean

_LINE_END = re.compile("\r\n|\r|\n")
_LONGEST_LINE = 200


class Sources:
    """The files of one submission; paths that are not the learner's have no frames."""

    def __init__(self, submission: Submission) -> None:
        folder = submission.name.rpartition("/")[0]
        self._bytes = {submission.name: submission.source}
        for helper, source in submission.helpers.items():
            self._bytes[f"{folder}/{helper}.py" if folder else f"{helper}.py"] = source
        self._by_escaped = {
            path.encode("ascii", "backslashreplace").decode("ascii"): path for path in self._bytes
        }
        self._lines: dict[str, list[str]] = {}

    def line(self, path: str, number: int) -> str:
        """Return line `number` (from 1) of a file, cut and clean; "" when there is none."""
        if path not in self._bytes:
            return ""
        if path not in self._lines:
            self._lines[path] = _LINE_END.split(_text(self._bytes[path]))
        lines = self._lines[path]
        return clean(lines[number - 1], _LONGEST_LINE) if 0 < number <= len(lines) else ""

    def frames(self, places: Iterable[tuple[str, int, str]]) -> tuple[Frame, ...]:
        """Return those of `places` (path, line, function) that are the learner's own."""
        frames = []
        for path, line, function in places:
            own = self._by_escaped.get(path, path)
            if own in self._bytes:
                frames.append(Frame(own, line, function, self.line(own, line).strip()))
        return tuple(frames)


def _text(source: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        return source.decode(encoding, errors="replace")
    except (SyntaxError, LookupError):
        return source.decode("utf-8", errors="replace")
