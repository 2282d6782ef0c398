"""List and read the members of an untrusted ZIP file.

Limits: a member is unpacked only up to the number of bytes requested, so a member that unpacks to
gigabytes costs nothing. A ZIP whose members claim a total size far above what its compressed size
allows is refused as a whole. LZMA is refused because its dictionary may allocate 4 GiB before the
first byte is unpacked.
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

_MAX_MEMBERS = 500_000
_MAX_RATIO = 200
"""unpacked bytes per packed byte: Python source packs about 10 to 1, zeros 1000 to 1"""
_ALWAYS_ALLOWED = 256 * 1024 * 1024
"""bytes that a ZIP may unpack to at any ratio"""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError)
"""raised by `zipfile` for truncated or altered files; ValueError for a negative offset"""
_OUTSIDE = re.compile(r"^/|^[A-Za-z]:|(^|/)\.\.(/|$)|\0")


class DamagedError(Exception):
    """A ZIP or one of its members cannot be read; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file in a ZIP. `path` uses `/`; `why` is the reason for refusing it, or empty."""

    path: str
    why: str = ""
    outside: bool = False
    """the path is absolute or climbs above the ZIP's root with `..`"""


class Archive:
    """An open ZIP file of `size` bytes.

    Raises DamagedError when it is not a ZIP file, is a ZIP bomb, or has more than 500 000 members.
    """

    def __init__(self, file: Path | IO[bytes], size: int) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except _ZIP_ERRORS as error:  # NotImplementedError is a RuntimeError
            raise DamagedError(f"not a readable ZIP file: {error}") from None
        infos = [info for info in self._zip.infolist() if not info.is_dir()]
        if len(infos) > _MAX_MEMBERS:
            raise DamagedError(f"it contains more than {_MAX_MEMBERS} files")
        claimed = sum(info.file_size for info in infos)
        if claimed > max(_ALWAYS_ALLOWED, _MAX_RATIO * size):
            raise DamagedError(
                f"a ZIP bomb: {size:,} bytes that would unpack to {claimed:,}".replace(",", " ")
            )
        self._infos = {_path(info): info for info in infos}
        self.members = [_member(info) for info in infos]

    @staticmethod
    def of_bytes(data: bytes) -> Archive:
        """Open a ZIP file given as bytes. Raises DamagedError."""
        return Archive(io.BytesIO(data), len(data))

    def read(self, path: str, limit: int) -> bytes:
        """Return the first `limit` bytes of a member, or all of it. Raises DamagedError."""
        try:
            with self._zip.open(self._infos[path]) as stream:
                return stream.read(limit)
        except KeyError:
            raise DamagedError("it is no longer in the ZIP") from None
        except _ZIP_ERRORS as error:
            raise DamagedError(f"the ZIP is damaged at this file: {error}") from None


def _path(info: zipfile.ZipInfo) -> str:
    return info.filename.replace("\\", "/")


def _member(info: zipfile.ZipInfo) -> Member:
    path = _path(info)
    kind = stat.S_IFMT(info.external_attr >> 16)
    if _OUTSIDE.search(path):
        return Member(path, "its path lies outside the ZIP", outside=True)
    if kind == stat.S_IFLNK:
        return Member(path, "it is a link")
    if kind not in (0, stat.S_IFREG):
        return Member(path, "it is not a regular file")
    if info.flag_bits & 1:
        return Member(path, "it is encrypted")
    if info.compress_type not in _METHODS:
        return Member(path, "its compression method is not supported; use deflate")
    return Member(path)
