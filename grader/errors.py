"""What a user or an author can fix: what is wrong, where, and the way out.

Nothing here is a verdict on a learner's code, and nothing here is a fault of the grader.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a text file. `line` and `column` count from 1; 0 means the whole file."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing to fix (an author's or a user's mistake).

    `message` says what is wrong, `way_out` what to do, `key_path` where in the document
    (`cases[2].arguments.X`), `source_line` the line itself, for a caret.
    """

    message: str
    location: Location | None = None
    key_path: str = ""
    source_line: str = ""
    way_out: str = ""

    def __str__(self) -> str:
        head = f"{self.location}: {self.message}" if self.location else self.message
        if self.key_path:
            head += f" (at {self.key_path})"
        lines = [head]
        if self.source_line and self.location and self.location.column:
            lines += _caret(self.source_line, self.location.column)
        if self.way_out:
            lines.append(f"    {self.way_out}")
        return "\n".join(lines)


class GraderError(Exception):
    """Something that the user or an author must fix (exit code 2)."""

    def __init__(self, *complaints: Complaint | str) -> None:
        self.complaints = tuple(Complaint(c) if isinstance(c, str) else c for c in complaints)
        super().__init__("\n".join(str(c) for c in self.complaints))


class AuthorError(GraderError):
    """Mistakes in problem or case files; carries all that were found in one pass."""


class UsageError(GraderError):
    """A name, path or option that does not lead anywhere."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a phrase that offers the closest of the `known` words, or lists them all."""
    known = list(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"Known: {', '.join(known)}." if known else ""


_WIDEST = 100


def _caret(source_line: str, column: int) -> list[str]:
    """Return the line and a caret below `column`, cut around it when the line is long."""
    text = source_line.rstrip().replace("\t", " ")
    start = max(0, column - 1 - _WIDEST // 2) if len(text) > _WIDEST else 0
    return [f"    {text[start : start + _WIDEST]}", "    " + " " * (column - 1 - start) + "^"]
