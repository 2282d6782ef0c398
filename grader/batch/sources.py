"""Folders, ZIPs and single files as one flat list of files that can be read safely.

Nothing is ever extracted: files are read one at a time, each only as far as the grader reads a
submission at all, so neither a name nor a size inside a ZIP can do harm. Links are never followed;
the ZIPs of learners are opened once, ZIPs inside them never.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from grader.batch.archive import Archive, DamagedError
from grader.errors import UsageError
from grader.submission import NOTEBOOK, most_bytes

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
    return most_bytes(path.lower().endswith(NOTEBOOK))


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


class Tree(Protocol):
    """One source of submissions."""

    @property
    def name(self) -> str:
        """The folder's name, or the ZIP's without its ending."""

    @property
    def entries(self) -> Sequence[Entry]:
        """Every file that may matter, sorted by path."""

    @property
    def left_out(self) -> Sequence[Entry]:
        """What is never read, whatever belongs to whom, and why."""

    def read(self, path: str) -> bytes:
        """Return a file, cut one byte after what a submission may have. Raises UnreadableError."""


def open_trees(paths: Sequence[Path]) -> list[Tree]:
    """Return a tree for each folder and ZIP, and one for all single files together.

    Raises UsageError for what does not exist, is neither, or is a damaged ZIP.
    """
    trees: list[Tree] = []
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            trees.append(DiskTree(path.resolve().name, path))
        elif not path.is_file():
            raise UsageError(f"no file or folder {str(path)!r}")
        elif path.suffix.lower() == ".zip":
            trees.append(ZipTree(path))
        elif path.suffix.lower() in SOURCES:
            files.append(path)
        else:
            raise UsageError(f"{path} is no folder, no ZIP and no .py or .ipynb file")
    if files:
        try:
            home = Path(os.path.commonpath([file.parent.resolve() for file in files]))
        except ValueError:  # Windows: on two drives
            raise UsageError("the files have no folder in common; give folders") from None
        names = [(file.parent.resolve() / file.name).relative_to(home) for file in files]
        trees.append(DiskTree(home.name, home, sorted(names)))
    return trees


class DiskTree:
    """A folder, or some files below one."""

    def __init__(self, name: str, folder: Path, files: Sequence[Path] | None = None) -> None:
        self.name = name
        self._folder = folder
        self._inner = InnerZips(self._whole)
        found = walk(folder) if files is None else ((f.as_posix(), "") for f in files)
        self.entries = sifted(found, self._inner)
        self.left_out: tuple[Entry, ...] = ()

    def read(self, path: str) -> bytes:
        """Return a file, cut one byte after what a submission may have. Raises UnreadableError."""
        if self._inner.holds(path):
            return self._inner.read(path)
        return self._whole(path, most(path))

    def _whole(self, path: str, limit: int) -> bytes:
        file = self._folder / path
        try:
            if file.is_symlink():
                raise UnreadableError("it is a link")
            with file.open("rb") as stream:
                return stream.read(limit + 1)
        except OSError as error:
            raise UnreadableError(f"it cannot be read: {error.strerror}") from None


class ZipTree:
    """A ZIP file. Raises UsageError when it is damaged or a bomb."""

    def __init__(self, path: Path) -> None:
        try:
            self._archive = Archive(path, path.stat().st_size)
        except (OSError, DamagedError) as error:
            raise UsageError(f"{path}: {error}") from None
        self.name = path.stem
        self._inner = InnerZips(self._whole)
        self.left_out = tuple(Entry(m.path, m.why) for m in self._archive.members if m.outside)
        inside = [member for member in self._archive.members if not member.outside]
        # What a file manager packs from a folder holds that folder, of the same name.
        wrapped = all(member.path.startswith(f"{self.name}/") for member in inside)
        self._prefix = f"{self.name}/" if wrapped else ""
        found = ((member.path.removeprefix(self._prefix), member.why) for member in inside)
        self.entries = sifted(found, self._inner)

    def read(self, path: str) -> bytes:
        """Return a file, cut one byte after what a submission may have. Raises UnreadableError."""
        if self._inner.holds(path):
            return self._inner.read(path)
        return self._whole(path, most(path))

    def _whole(self, path: str, limit: int) -> bytes:
        try:
            return self._archive.read(self._prefix + path, limit + 1)
        except DamagedError as error:
            raise UnreadableError(str(error)) from None
