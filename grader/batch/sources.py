"""Folders, ZIPs and single files, each as one flat list of files that can be read safely.

Nothing is extracted to disk. Files are read one at a time, each up to the size limit of a
submission, so names and sizes inside a ZIP cannot do harm. Links are not followed. A ZIP that a
learner handed in is opened; a ZIP inside it is not.
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
from grader.text import clean

SOURCES = (".py", ".ipynb")
"""file name endings of submissions"""
METADATA = "submission_metadata.yml"
"""the file in which a Gradescope export lists submissions and submitters; see `gradescope`"""
_JUNK = frozenset({"__MACOSX", "__pycache__", "node_modules", "venv"})
_MAX_INNER_ZIP = 32 * 1024 * 1024
_SHOWN = 100
"""characters of a path in a reason"""
_MAX_METADATA = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """One file. `path` is relative to the source; `refused` is the reason for refusal, or empty."""

    path: str
    refused: str = ""
    zip_path: str = ""
    """path of the learner's ZIP that contains the file, or empty"""

    @property
    def handed_in(self) -> str:
        """The path of the file that was handed in: this one, or the ZIP that contains it."""
        return self.zip_path or self.path


class UnreadableError(Exception):
    """A learner's file cannot be read; the message gives the reason."""


class Load(Protocol):
    """Returns at most the first `limit` + 1 bytes of a file. Raises UnreadableError."""

    def __call__(self, path: str, limit: int) -> bytes: ...


class InnerZips:
    """The ZIPs that learners handed in; each is listed as a folder, such as `ada/work.zip/`."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._paths: set[str] = set()
        self._open: tuple[str, Archive] | None = None

    def list(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield path and reason for refusal (or empty) of each file in the ZIP at `path`."""
        try:
            archive = self._archive(path)
        except (UnreadableError, DamagedError) as error:
            yield path, f"this ZIP is refused: {error}"
            return
        misplaced = next((member for member in archive.members if member.misplaced), None)
        if misplaced:
            name = clean(misplaced.path, _SHOWN)
            yield path, f"this ZIP is refused because of its file {name!r}: {misplaced.why}"
            return
        self._paths.add(path)
        for member in archive.members:
            nested = member.path.lower().endswith(".zip")
            why = "a ZIP inside a learner's ZIP is not opened" if nested else member.why
            yield f"{path}/{member.path}", why

    def holds(self, path: str) -> bool:
        """Return whether `path` lies inside a learner's ZIP."""
        return self._split(path) is not None

    def read(self, path: str) -> bytes:
        """Return a file in a learner's ZIP, cut one byte after its size limit.

        Raises UnreadableError.
        """
        split = self._split(path)
        assert split is not None
        try:
            return self._archive(split[0]).read(split[1], size_limit(path) + 1)
        except DamagedError as error:
            raise UnreadableError(str(error)) from None

    def _split(self, path: str) -> tuple[str, str] | None:
        for parent in PurePosixPath(path).parents:
            if str(parent) in self._paths:
                return str(parent), path[len(str(parent)) + 1 :]
        return None

    def _archive(self, path: str) -> Archive:
        """Return the ZIP at `path`; the latest stays open, since its files are read in a row."""
        if self._open is None or self._open[0] != path:
            data = self._load(path, _MAX_INNER_ZIP)
            if len(data) > _MAX_INNER_ZIP:
                raise UnreadableError(f"it is larger than {_MAX_INNER_ZIP >> 20} MiB")
            self._open = path, Archive.of_bytes(data)
        return self._open[1]


def size_limit(path: str) -> int:
    """Return the most bytes that a file may have to be read."""
    if path.rpartition("/")[2] == METADATA:
        return _MAX_METADATA
    return most_bytes(path.lower().endswith(NOTEBOOK))


def walk(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield path and reason for refusal (or empty) of each file below `folder`.

    Links are refused, not followed.
    """
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
                yield path, "" if regular else "it is not a regular file"
            elif not _is_junk(item.name):
                folders.append(path)


def relevant(found: Iterator[tuple[str, str]], inner: InnerZips) -> tuple[Entry, ...]:
    """Return the files that assignment needs, sorted by path; the ZIPs of learners are opened.

    Of the files that cannot be submissions, those at the top and one for each folder are kept:
    they show which learners exist, and each ZIP has an entry. So a class of cloned repositories
    stays small in memory.
    """
    kept: dict[str, Entry] = {}
    seen: set[str] = set()

    def keep(path: str, why: str, zip_path: str = "") -> bool:
        parts = path.split("/")
        if any(_is_junk(part) for part in parts):
            return False
        if path in kept:
            why = "two files have this name"
        is_metadata = parts[-1] == METADATA and len(parts) <= 2
        if not path.lower().endswith((*SOURCES, ".zip")) and not is_metadata:
            where = zip_path or "/".join(parts[:-1][:3])
            if where and where in seen:
                return False
            seen.add(where)
        kept[path] = Entry(path, why, zip_path)
        return True

    for path, why in found:
        if path.lower().endswith(".zip") and not why:
            listed = [
                keep(inside, reason, "" if inside == path else path)
                for inside, reason in inner.list(path)
            ]
            if not any(listed):
                keep(path, f"this ZIP contains no {' or '.join(SOURCES)} file")
        else:
            keep(path, why)
    return tuple(sorted(kept.values(), key=lambda entry: entry.path))


def _is_junk(name: str) -> bool:
    return name in _JUNK or name.startswith(".")


class Tree(Protocol):
    """One source of submissions."""

    @property
    def name(self) -> str:
        """The name of the folder, or of the ZIP without its ending."""

    @property
    def entries(self) -> Sequence[Entry]:
        """The files that assignment needs, sorted by path."""

    @property
    def left_out(self) -> Sequence[Entry]:
        """Files that are refused before assignment, with the reason."""

    def read(self, path: str) -> bytes:
        """Return a file, cut one byte after its size limit. Raises UnreadableError."""


def open_trees(paths: Sequence[Path]) -> list[Tree]:
    """Return a tree for each folder and ZIP, and one tree for all single files.

    Raises UsageError for a path that does not exist, is not a folder, a ZIP or a submission, or
    is a damaged ZIP.
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
            raise UsageError(f"{path} is not a folder, a ZIP, or a .py or .ipynb file")
    if files:
        try:
            home = Path(os.path.commonpath([file.parent.resolve() for file in files]))
        except ValueError:  # Windows: the files are on two drives
            raise UsageError("the files have no folder in common; name folders instead") from None
        names = [(file.parent.resolve() / file.name).relative_to(home) for file in files]
        trees.append(DiskTree(home.name, home, sorted(names)))
    return trees


class DiskTree:
    """A folder, or selected files below a folder."""

    def __init__(self, name: str, folder: Path, files: Sequence[Path] | None = None) -> None:
        self.name = name
        self._folder = folder
        self._inner = InnerZips(self._whole)
        found = walk(folder) if files is None else ((f.as_posix(), "") for f in files)
        self.entries = relevant(found, self._inner)
        self.left_out: tuple[Entry, ...] = ()

    def read(self, path: str) -> bytes:
        """Return a file, cut one byte after its size limit. Raises UnreadableError."""
        if self._inner.holds(path):
            return self._inner.read(path)
        return self._whole(path, size_limit(path))

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
    """A ZIP file. Raises UsageError when it is damaged."""

    def __init__(self, path: Path) -> None:
        try:
            self._archive = Archive(path)
        except (OSError, DamagedError) as error:
            raise UsageError(f"{path}: {error}") from None
        self.name = path.stem
        self._inner = InnerZips(self._whole)
        self.left_out = tuple(Entry(m.path, m.why) for m in self._archive.members if m.misplaced)
        inside = [member for member in self._archive.members if not member.misplaced]
        # File managers pack a folder as a ZIP that contains one folder of the same name.
        wrapped = all(member.path.startswith(f"{self.name}/") for member in inside)
        self._prefix = f"{self.name}/" if wrapped else ""
        found = ((member.path.removeprefix(self._prefix), member.why) for member in inside)
        self.entries = relevant(found, self._inner)

    def read(self, path: str) -> bytes:
        """Return a file, cut one byte after its size limit. Raises UnreadableError."""
        if self._inner.holds(path):
            return self._inner.read(path)
        return self._whole(path, size_limit(path))

    def _whole(self, path: str, limit: int) -> bytes:
        try:
            return self._archive.read(self._prefix + path, limit + 1)
        except DamagedError as error:
            raise UnreadableError(str(error)) from None
