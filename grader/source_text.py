"""Decode a learner's source: UTF-8, or the single-byte encoding that it declares (PEP 263).

Other codecs of Python are refused: some take quadratic time (punycode), and some replace the text
by another one (`unicode_escape`, `utf_7`), so that the code that runs is not the code that is read.
"""

from __future__ import annotations

import re
from encodings import normalize_encoding
from encodings.aliases import aliases

_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_EMPTY = re.compile(rb"[ \t\f]*(?:#.*)?")
_FIRST_LINE_END = re.compile(rb"\r\n?|\n")
_UTF_8 = "utf_8"
_SUPPORTED = frozenset(
    [_UTF_8, "ascii", "latin_1", "koi8_r", "koi8_u"]
    + [f"cp125{n}" for n in range(9)]
    + [f"iso8859_{n}" for n in range(1, 17) if n != 12]
)
"""names of modules of `encodings`"""
_WITH_SUFFIX = {"utf_8": _UTF_8, "latin_1": "latin_1", "iso_8859_1": "latin_1"}
"""names after which the compiler ignores a suffix, such as Emacs' `utf-8-unix`"""
_LONGEST_NAME = 40


def declared(source: bytes) -> tuple[str, int] | None:
    """Return the encoding that the source declares and the line of the declaration, or None."""
    for number, line in enumerate(_FIRST_LINE_END.split(source, 2)[:2], 1):
        match = _CODING.match(line)
        if match:
            return match[1].decode("ascii", "replace"), number
        if not _EMPTY.fullmatch(line):
            return None
    return None


def codec(name: str) -> str | None:
    """Return Python's name of a declared encoding, or None when it is not supported."""
    plain = normalize_encoding(name[:_LONGEST_NAME]).lower()
    for start, found in _WITH_SUFFIX.items():
        if f"{plain}_".startswith(f"{start}_"):
            return found
    found = aliases.get(plain, plain)
    return found if found in _SUPPORTED else None


def decode(source: bytes) -> str:
    """Return the text of a source; bytes that are not text in its encoding become U+FFFD."""
    stated = declared(source)
    text = source.decode((codec(stated[0]) if stated else None) or _UTF_8, "replace")
    return text.removeprefix("\ufeff")
