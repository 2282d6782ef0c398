"""Text that learners' code produced, made harmless before anything else touches it."""

from __future__ import annotations

import re

_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""control characters but tab and line end, bidirectional marks, lone surrogates"""
_ESCAPE = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")


def clean(text: str, longest: int = 1000) -> str:
    """Return `text` without terminal escapes and control characters, at most `longest` long."""
    if len(text) <= longest and text.isascii() and text.isprintable():
        return text
    text = text[: 4 * longest].replace("\r\n", "\n")
    text = _HARMFUL.sub("", _ESCAPE.sub("", text))
    return text if len(text) <= longest else text[:longest] + "..."


def decode(data: bytes, longest: int) -> str:
    """Return bytes of unknown encoding as clean text; what is not UTF-8 becomes U+FFFD."""
    return clean(data.decode("utf-8", errors="replace"), longest)


def one_line(text: str) -> str:
    """Return `text` on one line."""
    return " ".join(text.split())
