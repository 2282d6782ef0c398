"""Make text from learners' code safe to print, to log and to store."""

from __future__ import annotations

import re

_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""control characters except tab and line feed, bidirectional marks, lone surrogates"""
_ESCAPE = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")


def clean(text: str, longest: int = 1000) -> str:
    """Return `text` without terminal escapes and control characters.

    Longer text is cut to `longest` characters and ends with "...".
    """
    if len(text) <= longest and text.isascii() and text.isprintable():
        return text
    text = text[: 4 * longest].replace("\r\n", "\n")
    text = _HARMFUL.sub("", _ESCAPE.sub("", text))
    return text if len(text) <= longest else text[:longest] + "..."


def decode(data: bytes, longest: int) -> str:
    """Return bytes of unknown encoding as clean text; bytes that are not UTF-8 become U+FFFD."""
    return clean(data.decode("utf-8", errors="replace"), longest)


def one_line(text: str) -> str:
    """Return `text` with every run of white space replaced by one space."""
    return " ".join(text.split())
