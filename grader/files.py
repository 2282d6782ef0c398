"""Write files atomically: completely or not at all. Errors name the path."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from grader.errors import SHORT, Complaint, MachineError, UsageError

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory


def write(path: Path, text: str, *, follow_link: bool = True) -> None:
    """Replace a file's content with text in UTF-8. Raises UsageError as `replacing` does."""
    with replacing(path, follow_link=follow_link) as file:
        file.write(text.encode("utf-8", "replace"))


@contextlib.contextmanager
def replacing(path: Path, *, follow_link: bool = True) -> Iterator[BinaryIO]:
    """Yield a binary file whose content replaces that of `path` at the end of the block.

    A reader of `path` sees either the old content or all of the new content. If the block raises,
    the old content stays and no temporary file is left. A path that is not a regular file (a pipe,
    /dev/stdout) is written in place. Without `follow_link`, a link is replaced, not followed; but
    the links in /dev and /proc stand for streams. Raises UsageError with the path if it cannot be
    written.
    """
    is_stream = _is_stream(path)
    target = _resolved(path) if follow_link and not is_stream else path
    try:
        is_special = target.exists() and not target.is_file() and not target.is_symlink()
        in_place = is_stream or is_special
        with target.open("wb") if in_place else _temporary_file(target) as file:
            yield file
    except OSError as error:
        raise _cannot_write(path, error) from None


def append(path: Path, text: str) -> None:
    """Append text to a file in one write. Raises UsageError with the path."""
    try:
        with path.open("ab") as file:
            file.write(text.encode("utf-8", "replace"))
    except OSError as error:
        raise _cannot_write(path, error) from None


def make_folder(path: Path) -> None:
    """Create a folder and its missing parents. Raises UsageError with the path."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot create the folder {path}: {error.strerror}") from None


def temporary_folder(place: str | None = None) -> TemporaryDirectory[str]:
    """Return a new folder, in `place` or for temporary files. Raises UsageError without any."""
    import tempfile  # here, since it is slow and few commands need it

    try:
        return tempfile.TemporaryDirectory(prefix="grader-", dir=place, ignore_cleanup_errors=True)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM):
            raise MachineError(f"cannot make a temporary folder: {error.strerror}", SHORT) from None
        message = f"cannot make a temporary folder: {error.strerror}"
        advice = "Set TMPDIR to a folder on a disk with space, in which you may write."
        raise UsageError(Complaint(message, advice=advice)) from None


@contextlib.contextmanager
def _temporary_file(target: Path) -> Iterator[BinaryIO]:
    # Like tempfile.mkstemp, whose import is slow.
    temporary = target.parent / f".{target.name[:50]}.{os.urandom(8).hex()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(descriptor)  # a full disk may be reported only here
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _is_stream(path: Path) -> bool:
    """Return whether a path is a link to an open stream, such as /dev/stdout or /dev/fd/3."""
    folder = Path(os.path.realpath(path.parent))
    return path.is_symlink() and (folder == Path("/dev") or folder.is_relative_to("/proc"))


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, before Python 3.13
        raise _cannot_write(path, error) from None


def _mode(target: Path) -> int:
    """Return the permissions of a file written in place: its own, or those that umask leaves."""
    if target.exists() and not target.is_symlink():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _cannot_write(path: Path, error: OSError | RuntimeError) -> UsageError:
    folder = path.parent
    advice = "" if folder.is_dir() else f"Create the folder {folder} first."
    reason = getattr(error, "strerror", None) or str(error)
    return UsageError(Complaint(f"cannot write {path}: {reason}", advice=advice))
