"""Snapshots of exercises: the files that a run grades with, and their hash.

A snapshot holds an exercise's own files and its cases as of the start of a run. Workers unpack it,
also on other machines; editing the course during a run does not affect the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import grader
from grader.catalog import Course
from grader.errors import UsageError
from grader.options import GradingOptions

_PACKAGE = Path(grader.__file__).parent
_NOT_JUDGING = frozenset({"batch", "commands", "formats", "schema"})
"""folders of the package that do not affect verdicts"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All files and options that one exercise is graded with. `key` is their hash."""

    slug: str
    problem: Mapping[str, bytes]
    """contents of the exercise's own files, by path relative to the course's root"""
    cases: Mapping[str, bytes]
    options: GradingOptions
    """`cases` holds the folders of further cases relative to the course's root"""

    @property
    def problem_hash(self) -> str:
        """The SHA-256 of the exercise's own files, in hexadecimal."""
        return digest(sorted(self.problem.items()))

    @property
    def cases_hash(self) -> str:
        """The SHA-256 of the case files, in hexadecimal."""
        return digest(sorted(self.cases.items()))

    @property
    def key(self) -> str:
        """The SHA-256, in hexadecimal, of all that a verdict depends on except the submission."""
        parts = (self.problem_hash, self.cases_hash, grader_version())
        return digest([self.slug, *parts, *self.options.key()])

    def course(self, root: Path) -> tuple[Course, GradingOptions]:
        """Write the files below `root`; return the course at `root` and its options."""
        for name, data in {**self.problem, **self.cases}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return Course(root), self.options.at(root)


def take(course: Course, slug: str, options: GradingOptions) -> Snapshot:
    """Read the current files of an exercise. Raises UsageError for an unreadable file."""
    home = course.problem_folder(slug)
    own = {
        f"problems/{slug}/{path.relative_to(home).as_posix()}": path
        for path in home.rglob("*")
        if path.is_file() and not _is_cache(path.relative_to(home))
    }
    base = course.case_files(slug)
    cases = {f"cases/{slug}/{file.path.name}": file.path for file in base}
    folders = []
    for number, folder in enumerate(options.extra):
        name = f"extra/{number}"
        folders.append(name)
        further = course.case_files(slug, [folder])[len(base) :]
        cases |= {f"{name}/{file.path.name}": file.path for file in further}
    return Snapshot(slug, _read(own), _read(cases), replace(options, cases=tuple(folders)))


@cache
def grader_version() -> str:
    """Return the version and a hash of the judging modules, so that a fix invalidates results."""
    files = sorted(
        (path.relative_to(_PACKAGE).as_posix(), path)
        for path in _PACKAGE.rglob("*.py")
        if path.relative_to(_PACKAGE).parts[0] not in _NOT_JUDGING
    )
    return f"{grader.__version__}+{digest((name, path.read_bytes()) for name, path in files)[:12]}"


def digest(parts: Iterable[object]) -> str:
    """Return the SHA-256 of values in hexadecimal; type and length of each value count too."""
    whole = hashlib.sha256()
    for part in parts:
        if isinstance(part, tuple):
            data = bytes.fromhex(digest(part))
        else:
            data = part if isinstance(part, bytes) else repr(part).encode()
        whole.update(f"{type(part).__name__}{len(data)}:".encode())
        whole.update(data)
    return whole.hexdigest()


def _read(paths: Mapping[str, Path]) -> dict[str, bytes]:
    try:
        return {name: path.read_bytes() for name, path in sorted(paths.items())}
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be read: {error.strerror}") from None


def _is_cache(path: Path) -> bool:
    return any(part == "__pycache__" or part.startswith(".") for part in path.parts)
