"""The one atomic write: a file is written whole or not at all, and errors name its path."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from grader.errors import Complaint, UsageError


def write(path: Path, text: str, *, follow_link: bool = True) -> None:
    """Replace a file's content with a text in UTF-8, as `replacing` does."""
    with replacing(path, follow_link=follow_link) as file:
        file.write(text.encode("utf-8", "replace"))


@contextlib.contextmanager
def replacing(path: Path, *, follow_link: bool = True) -> Iterator[BinaryIO]:
    """Yield a binary file whose content replaces that of `path` at the end of the block.

    A reader of `path` finds the old content or the whole new one; when the block raises, the old
    content stays and no other file is left. A path that is not a regular file (a pipe,
    /dev/stdout) is written in place. Without `follow_link`, a link is replaced and never followed.
    Raises UsageError with the path when it cannot be written.
    """
    target = _resolved(path) if follow_link else path
    try:
        in_place = follow_link and target.exists() and not target.is_file()
        with target.open("wb") if in_place else _scratch(target) as file:
            yield file
    except OSError as error:
        raise _cannot_write(path, error) from None


def append(path: Path, text: str) -> None:
    """Add text to the end of a file, in one piece. Raises UsageError with the path."""
    try:
        with path.open("ab") as file:
            file.write(text.encode("utf-8", "replace"))
    except OSError as error:
        raise _cannot_write(path, error) from None


def make_folder(path: Path) -> None:
    """Make a folder and those above it unless they exist. Raises UsageError with the path."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {path}: {error.strerror}") from None


@contextlib.contextmanager
def _scratch(target: Path) -> Iterator[BinaryIO]:
    # As tempfile.mkstemp does, without its imports.
    scratch = target.parent / f".{target.name[:50]}.{os.urandom(8).hex()}"
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)  # a full disk may be reported only now
        scratch.chmod(_mode(target))
        scratch.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            scratch.unlink()
        raise


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, before 3.13
        raise _cannot_write(path, error) from None


def _mode(target: Path) -> int:
    """Return the mode that a file written in place would have."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _cannot_write(path: Path, error: OSError | RuntimeError) -> UsageError:
    folder = path.parent
    advice = "" if folder.is_dir() else f"Create the folder {folder} first."
    reason = getattr(error, "strerror", None) or str(error)
    return UsageError(Complaint(f"cannot write {path}: {reason}", advice=advice))
