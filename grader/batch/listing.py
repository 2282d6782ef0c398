"""From every file of a source to those that may matter; the ZIPs of learners are looked into."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from grader.batch.archive import Archive, DamagedError
from grader.submission import MOST_BYTES, MOST_NOTEBOOK_BYTES, NOTEBOOK

SOURCES = (".py", ".ipynb")
"""endings of what can be a submission"""
METADATA = "submission_metadata.yml"
"""what Gradescope adds to an export"""
_JUNK = frozenset({"__MACOSX", "__pycache__", "node_modules", "venv"})
_MOST_INNER_ZIP = 32 * 1024 * 1024
_MOST_METADATA = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: its path with `/` below the source, and why it must not be read, or ''."""

    path: str
    refused: str = ""


class UnreadableError(Exception):
    """A file of one learner that cannot be read; the message says why."""


class Load(Protocol):
    """Reads a file by its shown path: its first `limit` bytes, or UnreadableError."""

    def __call__(self, path: str, limit: int) -> bytes: ...


class InnerZips:
    """The ZIPs that learners handed in: `ada/work.zip` is shown as a folder of that name."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._paths: set[str] = set()
        self._open: tuple[str, Archive] | None = None

    def list(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield the path and the reason against reading each file in the ZIP at `path`."""
        try:
            archive = self._archive(path)
        except (UnreadableError, DamagedError) as error:
            yield path, f"this ZIP is refused: {error}"
            return
        outside = [member for member in archive.members if member.outside]
        if outside:
            yield path, f"this ZIP is refused: {outside[0].path!r} leads out of it"
            return
        self._paths.add(path)
        for member in archive.members:
            nested = member.path.lower().endswith(".zip")
            why = "a ZIP inside a learner's ZIP is not opened" if nested else member.why
            yield f"{path}/{member.path}", why

    def holds(self, path: str) -> bool:
        """Return whether `path` is a file inside a learner's ZIP."""
        return self._split(path) is not None

    def read(self, path: str) -> bytes:
        """Return the start of a file inside a learner's ZIP. Raises UnreadableError."""
        split = self._split(path)
        assert split is not None
        try:
            return self._archive(split[0]).read(split[1], most(path) + 1)
        except DamagedError as error:
            raise UnreadableError(str(error)) from None

    def _split(self, path: str) -> tuple[str, str] | None:
        for parent in PurePosixPath(path).parents:
            if str(parent) in self._paths:
                return str(parent), path[len(str(parent)) + 1 :]
        return None

    def _archive(self, path: str) -> Archive:
        """Return the ZIP at `path`; the last one stays open, since its files come in a row."""
        if self._open is None or self._open[0] != path:
            data = self._load(path, _MOST_INNER_ZIP)
            if len(data) > _MOST_INNER_ZIP:
                raise UnreadableError(f"it is larger than {_MOST_INNER_ZIP >> 20} MiB")
            self._open = path, Archive.of_bytes(data)
        return self._open[1]


def most(path: str) -> int:
    """Return how many bytes of a file the grader looks at."""
    if path.rpartition("/")[2] == METADATA:
        return _MOST_METADATA
    return MOST_NOTEBOOK_BYTES if path.lower().endswith(NOTEBOOK) else MOST_BYTES


def walk(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield every file below `folder` with the reason against reading it; follow no link."""
    folders = [""]
    while folders:
        inside = folders.pop()
        try:
            with os.scandir(folder / inside) as scan:
                found = list(scan)
        except OSError as error:
            yield inside, f"the folder cannot be read: {error.strerror}"
            continue
        for item in found:
            path = f"{inside}/{item.name}" if inside else item.name
            if item.is_symlink():
                yield path, "it is a link"
            elif not item.is_dir(follow_symlinks=False):
                regular = item.is_file(follow_symlinks=False)
                yield path, "" if regular else "it is no regular file"
            elif not _is_junk(item.name):
                folders.append(path)


def sifted(found: Iterator[tuple[str, str]], inner: InnerZips) -> tuple[Entry, ...]:
    """Return what may matter, by path; the ZIPs of learners are opened.

    Of files that can be no submission, those at the top are kept, and one for each folder: they
    show who is there. So a class of cloned repositories stays small in memory.
    """
    kept: dict[str, Entry] = {}
    seen: set[str] = set()

    def keep(path: str, why: str) -> None:
        parts = path.split("/")
        if any(_is_junk(part) for part in parts):
            return
        if path in kept:
            why = "there are two files of this name"
        if not path.lower().endswith((*SOURCES, ".zip")) and parts[-1] != METADATA:
            where = "/".join(parts[:-1][:3])
            if where and where in seen:
                return
            seen.add(where)
        kept[path] = Entry(path, why)

    for path, why in found:
        if path.lower().endswith(".zip") and not why:
            for inside, reason in inner.list(path):
                keep(inside, reason)
        else:
            keep(path, why)
    return tuple(sorted(kept.values(), key=lambda entry: entry.path))


def _is_junk(name: str) -> bool:
    return name in _JUNK or name.startswith(".")
