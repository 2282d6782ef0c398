"""Folders, ZIPs and single files as one flat list of files that can be read safely.

Nothing is ever extracted: files are read one at a time, each only as far as the grader reads a
submission at all, so neither a name nor a size inside a ZIP can do harm. Links are never followed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from grader.batch.archive import Archive, DamagedError
from grader.batch.listing import SOURCES, Entry, InnerZips, UnreadableError, most, sifted, walk
from grader.errors import UsageError


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
