"""A ZIP from somebody else: its members and their bytes, without trusting a word in it.

Limits: what reads a member stops at the number of bytes that it asked for, so a member that
unpacks to gigabytes costs nothing; a ZIP that promises far more than it can honestly hold is
refused as a whole. LZMA is refused: its dictionary may ask for 4 GiB before the first byte comes.
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_MOST_MEMBERS = 500_000
_MOST_RATIO = 200
"""Python files shrink to a tenth, zeros to a thousandth"""
_HARMLESS = 256 * 1024 * 1024
"""bytes that a ZIP may unpack to, whatever its ratio"""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
"""what `zipfile` raises for files that are cut or changed: ValueError for a negative offset"""
_OUTSIDE = re.compile(r"^/|^[A-Za-z]:|(^|/)\.\.(/|$)|\0")


class DamagedError(Exception):
    """A ZIP or a member of it that cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file in a ZIP: its path with `/`, and why it must not be read, or ''."""

    path: str
    why: str = ""
    outside: bool = False
    """its name leads out of the ZIP"""


class Archive:
    """An open ZIP. Raises DamagedError when it is none, is a bomb, or has far too many members."""

    def __init__(self, file: Path | IO[bytes], size: int) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except _DAMAGE as error:  # NotImplementedError is a RuntimeError
            raise DamagedError(f"this is no ZIP that can be opened: {error}") from None
        infos = [info for info in self._zip.infolist() if not info.is_dir()]
        if len(infos) > _MOST_MEMBERS:
            raise DamagedError(f"it holds more than {_MOST_MEMBERS} files")
        promised = sum(info.file_size for info in infos)
        if promised > max(_HARMLESS, _MOST_RATIO * size):
            raise DamagedError(
                f"a ZIP bomb: {size:,} bytes that would unpack to {promised:,}".replace(",", " ")
            )
        self._infos = {_path(info): info for info in infos}
        self.members = [_member(info) for info in infos]

    @staticmethod
    def of_bytes(data: bytes) -> Archive:
        """Return the ZIP that `data` holds. Raises DamagedError."""
        return Archive(io.BytesIO(data), len(data))

    def read(self, path: str, most: int) -> bytes:
        """Return at most `most` bytes of a member. Raises DamagedError."""
        try:
            with self._zip.open(self._infos[path]) as stream:
                return stream.read(most)
        except KeyError:
            raise DamagedError("it is no longer there") from None
        except _DAMAGE as error:
            raise DamagedError(f"the ZIP is damaged here: {error}") from None


def _path(info: zipfile.ZipInfo) -> str:
    return info.filename.replace("\\", "/")


def _member(info: zipfile.ZipInfo) -> Member:
    path = _path(info)
    kind = stat.S_IFMT(info.external_attr >> 16)
    if _OUTSIDE.search(path):
        return Member(path, "its name leads out of the ZIP", outside=True)
    if kind == stat.S_IFLNK:
        return Member(path, "it is a link")
    if kind not in (0, stat.S_IFREG):
        return Member(path, "it is no regular file")
    if info.flag_bits & 1:
        return Member(path, "it is encrypted")
    if info.compress_type not in _METHODS:
        return Member(path, "it is packed with a method that is not accepted; use deflate")
    return Member(path)
