"""Files that a command writes: whole or not at all, and said by path when it is impossible."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from grader.errors import Complaint, UsageError


def write(path: Path, text: str) -> None:
    """Write a text file as UTF-8: whoever reads the path finds the old content or the new one.

    A link is followed; what is there and no file (a pipe, `/dev/stdout`) is written to as it is.
    Raises UsageError with the path when it is impossible, and then leaves nothing behind.
    """
    data = text.encode("utf-8", "replace")
    try:
        target = path.resolve()
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            with target.open("wb", buffering=0) as file:
                _write_all(file.fileno(), data)
        else:
            _replace(target, data)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links, before 3.13
        raise UsageError(_complaint(path, error)) from None


def append(path: Path, text: str) -> None:
    """Add text to the end of a file, in one piece. Raises UsageError with the path."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            _write_all(descriptor, text.encode("utf-8", "replace"))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise UsageError(_complaint(path, error)) from None


def _replace(target: Path, data: bytes) -> None:
    # As tempfile.mkstemp does, without its imports.
    name = target.parent / f".{target.name[:50]}.{os.urandom(8).hex()}"
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        try:
            _write_all(descriptor, data)
            os.fsync(descriptor)  # a full disk may say so only now
        finally:
            os.close(descriptor)
        name.chmod(_mode(target))
        name.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            name.unlink()
        raise


def _mode(target: Path) -> int:
    """Return the mode that a file written in place would have."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _write_all(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _complaint(path: Path, error: OSError | RuntimeError) -> Complaint:
    folder = path.parent
    way_out = "" if folder.is_dir() else f"There is no folder {folder}: make it first."
    reason = getattr(error, "strerror", None) or str(error)
    return Complaint(f"cannot write {path}: {reason}", way_out=way_out)
