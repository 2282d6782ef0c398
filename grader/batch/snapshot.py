"""What submissions are graded with, as bytes and a hash: so a result says what it stands for.

A snapshot holds an exercise's own files and its cases as they were when the run began. Workers
unpack it, wherever they are; editing the course during a run changes nothing of that run.
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
_NO_JUDGES = frozenset({"batch", "commands", "formats", "schema"})
"""folders of the package that cannot change a verdict"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One exercise, complete. `key` is the hash of everything below."""

    slug: str
    problem: Mapping[str, bytes]
    """the exercise's own files, by path below the course's root"""
    cases: Mapping[str, bytes]
    options: GradingOptions
    """with the folders of further cases by path below the course's root"""

    @property
    def problem_hash(self) -> str:
        """The hash of the exercise's own files."""
        return digest(sorted(self.problem.items()))

    @property
    def cases_hash(self) -> str:
        """The hash of the cases."""
        return digest(sorted(self.cases.items()))

    @property
    def key(self) -> str:
        """The hash of all that a verdict depends on but the submission."""
        parts = (self.problem_hash, self.cases_hash, grader_version())
        return digest([self.slug, *parts, *self.options.key()])

    def course(self, root: Path) -> tuple[Course, GradingOptions]:
        """Write the files below `root`; return the course there and the options."""
        for name, data in {**self.problem, **self.cases}.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return Course(root), self.options.at(root)


def take(course: Course, slug: str, options: GradingOptions) -> Snapshot:
    """Return an exercise as it is now. Raises UsageError for files that cannot be read."""
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
    """Return the version and a hash of the modules that judge, so that a fix counts as new."""
    files = sorted(
        (path.relative_to(_PACKAGE).as_posix(), path)
        for path in _PACKAGE.rglob("*.py")
        if path.relative_to(_PACKAGE).parts[0] not in _NO_JUDGES
    )
    return f"{grader.__version__}+{digest((name, path.read_bytes()) for name, path in files)[:12]}"


def digest(parts: Iterable[object]) -> str:
    """Return the SHA-256 of values; where one ends and the next begins counts too."""
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
