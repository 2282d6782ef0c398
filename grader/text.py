"""Make text from learners' code safe to print, to log and to store."""

from __future__ import annotations

import re

_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
"""the spaces of Unicode (Zs) but for U+0020"""
_IGNORABLE = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
)
"""letters and marks that Unicode shows as nothing: what `Default_Ignorable_Code_Point` in
DerivedCoreProperties.txt contains beside format characters and unassigned ones"""
_DOUBTFUL = re.compile(f"[^\t\n -~\u00a1-\u00ac\u00ae-\u02ff{_SPACES}]")
_HARMFUL = re.compile(f"[{_IGNORABLE}]")
_ESCAPE = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|#(?=#\[)", re.MULTILINE)


def clean(text: str, longest: int = 1000) -> str:
    """Return `text` without terminal escapes and without characters that cannot be seen.

    Removed are control characters except tab and line feed, format characters (marks of direction,
    soft hyphens, tags), separators of lines and paragraphs, surrogates, private and unassigned
    characters, and all that Unicode calls default-ignorable. Two texts that look alike are so
    more often equal, and no text controls a terminal. Combining marks stay. An emoji that is joined
    of several (U+200D) or has a variation selector is shown as its parts: a woman and a computer.

    Longer text is cut to `longest` characters and ends with "...".
    """
    if len(text) <= longest and text.isascii() and text.isprintable():
        return text
    text = text[: 4 * longest].replace("\r\n", "\n")
    text = _DOUBTFUL.sub(_if_visible, _ESCAPE.sub("", text))
    return text if len(text) <= longest else text[:longest] + "..."


def _if_visible(match: re.Match[str]) -> str:
    character = match[0]
    return character if character.isprintable() and not _HARMFUL.match(character) else ""


def decode(data: bytes, longest: int) -> str:
    """Return bytes of unknown encoding as clean text; bytes that are not UTF-8 become U+FFFD."""
    return clean(data.decode("utf-8", errors="replace"), longest)


def clean_line(text: str, longest: int = 1000) -> str:
    """Return `text` as one clean line, for names and for sentences in tables."""
    return one_line(clean(text, longest))


def one_line(text: str) -> str:
    """Return `text` with every run of white space replaced by one space."""
    return " ".join(text.split())


def without_commands(text: str) -> str:
    """Return `text` without workflow commands of GitHub Actions.

    A line is a command when it begins with `::` after blanks or has `##[` anywhere; a blank is put
    between the two characters. `formats.github` names the source.
    """
    return _COMMAND.sub(lambda match: f"{match[0]} ", text)
