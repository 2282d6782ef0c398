"""Mistakes that a user or an author can fix, each with its place and advice.

Nothing here is a verdict on a learner's code or a fault of the grader.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a text file. `line` and `column` count from 1; 0 means the whole file.

    `text` is the line itself, for a caret; `key_path` is the place in the document
    (`cases[2].why`).
    """

    path: str
    line: int = 0
    column: int = 0
    text: str = field(default="", compare=False)
    key_path: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


@dataclass(frozen=True, slots=True)
class Complaint:
    """One mistake of an author or a user.

    `message` states the mistake; `advice`, a sentence, says how to correct it.
    """

    message: str
    location: Location | None = None
    advice: str = ""

    def __str__(self) -> str:
        lines = [self.message]
        if self.location:
            lines = [f"{self.location}: {self.message}"]
            if self.location.key_path:
                lines[0] += f" (at {self.location.key_path})"
            if self.location.text.strip() and self.location.column:
                lines += _caret(self.location.text, self.location.column)
        if self.advice:
            lines.append(f"    help: {self.advice}")
        return "\n".join(lines)


class GraderError(Exception):
    """One or more mistakes that the user or an author must fix (exit code 2)."""

    def __init__(self, *complaints: Complaint | str) -> None:
        self.complaints = tuple(Complaint(c) if isinstance(c, str) else c for c in complaints)
        super().__init__("\n".join(str(c) for c in self.complaints))


class AuthorError(GraderError):
    """All mistakes that one pass found in problem or case files."""


class UsageError(GraderError):
    """An invalid name, path or option."""


class MachineError(Exception):
    """The machine refused what the grader needs, such as memory or a process (exit code 3).

    It is neither a verdict nor a reason for a weaker runner. `advice`, a sentence or "", says what
    the user can do; `tried` whether a submission was already run again and again.
    """

    def __init__(self, message: str, advice: str = "", *, tried: bool = False) -> None:
        super().__init__(message)
        self.advice = advice
        self.tried = tried


SHORT = "This machine is short of memory or processes; try again."
"""the advice where the machine lacks memory, process numbers or descriptors"""


def unknown_name(message: str, word: str, known: Iterable[str]) -> UsageError:
    """Return the error for a word that is not among the `known` ones, which its advice offers."""
    return UsageError(Complaint(message, advice=nearest(word, known)))


_NEAR = 0.6
"""least `difflib` ratio, 0 to 1, at which one similar word is offered instead of all"""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return a sentence that offers the closest of the `known` words, or lists all of them."""
    known = list(known)
    return offer(closest(word, known), known)


def offer(close: str, known: Iterable[str]) -> str:
    """Return a sentence that offers the word `close`, or all `known` words if it is empty."""
    if close:
        return f"Did you mean {close!r}?"
    listed = ", ".join(known)
    return f"Known: {listed}." if listed else ""


def closest(word: str, known: Iterable[str]) -> str:
    """Return the `known` word most similar to `word`, or '' if none is similar enough."""
    import difflib  # here, since only mistakes need it

    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=_NEAR)), "")


_WIDEST = 100


def _caret(source_line: str, column: int) -> list[str]:
    """Return the line and a caret below `column`; cut a long line around the column."""
    text = source_line.rstrip().replace("\t", " ")
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    start = max(0, column - 1 - _WIDEST // 2) if len(text) > _WIDEST else 0
    return [f"    {text[start : start + _WIDEST]}", "    " + " " * (column - 1 - start) + "^"]
