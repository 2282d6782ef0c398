"""List and read the members of an untrusted ZIP file.

Limits: a member is unpacked only up to the number of bytes requested, so a member that unpacks to
gigabytes costs no more than one of the largest permitted size, and is then refused alone. LZMA is
refused because its dictionary may allocate 4 GiB before the first byte is unpacked. Paths are
short, because the patterns of layouts take quadratic time in their length.
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
_MAX_DIRECTORY = 4 * 1024 * 1024
"""bytes of the list of members in a learner's ZIP, for at most 90 000 of them"""
_MAX_PATH = 1000
"""characters; Windows permits 260 and Canvas 255 in one name"""
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
    misplaced: bool = False
    """the path is absolute, climbs above the ZIP's root with `..`, or is too long"""


class _InMemory(io.BytesIO):
    """A ZIP file in memory. `zipfile` reads its list of members in one call."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.most: int | None = _MAX_DIRECTORY
        """bytes of one call of `read`"""

    def read(self, size: int | None = -1) -> bytes:
        if self.most is not None and size is not None and size > self.most:
            raise zipfile.BadZipFile("its list of files is too long")
        return super().read(size)


class Archive:
    """An open ZIP file.

    Raises DamagedError when it is not a ZIP file or has more than 500 000 members.
    """

    def __init__(self, file: Path | IO[bytes]) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except _ZIP_ERRORS as error:  # NotImplementedError is a RuntimeError
            raise DamagedError(f"not a readable ZIP file: {error}") from None
        infos = [info for info in self._zip.infolist() if not info.is_dir()]
        if len(infos) > _MAX_MEMBERS:
            raise DamagedError(f"it contains more than {_MAX_MEMBERS} files")
        self._infos = {_path(info): info for info in infos}
        self.members = [_member(info) for info in infos]

    @staticmethod
    def of_bytes(data: bytes) -> Archive:
        """Open a learner's ZIP file given as bytes. Raises DamagedError."""
        file = _InMemory(data)
        archive = Archive(file)
        file.most = None
        return archive

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
    if _OUTSIDE.search(path[:_MAX_PATH]):
        return Member(path[:_MAX_PATH], "its path lies outside the ZIP", misplaced=True)
    if len(path) > _MAX_PATH:
        return Member(path[:_MAX_PATH], f"its path is longer than {_MAX_PATH} characters", True)
    if kind == stat.S_IFLNK:
        return Member(path, "it is a link")
    if kind not in (0, stat.S_IFREG):
        return Member(path, "it is not a regular file")
    if info.flag_bits & 1:
        return Member(path, "it is encrypted")
    if info.compress_type not in _METHODS:
        return Member(path, "its compression method is not supported; use deflate")
    return Member(path)
