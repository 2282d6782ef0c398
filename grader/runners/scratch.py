"""Scratch folders of processes, which are removed even when the grader is killed."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

from grader.errors import SHORT, MachineError
from grader.files import temporary_folder
from grader.runners.retrying import LACKS

_KEEPER = """
import os, sys
os.read(0, 1)
if os.path.exists(sys.argv[1]):
    import shutil
    shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
"""waits until its standard input is closed, which also happens when the grader dies; an image for
containers may have no shell"""


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process. MachineError when the machine lacks memory, processes or descriptors."""
    try:
        return subprocess.Popen(command, **options)
    except OSError as error:
        if error.errno in LACKS:
            raise MachineError(f"no process can be started: {error.strerror}", SHORT) from None
        raise


class Scratch:
    """A temporary folder with a folder for each process. Raises UsageError without any."""

    def __init__(self) -> None:
        self._folder = temporary_folder()
        self._keeper: subprocess.Popen[bytes] | None = None
        if sys.platform != "win32":
            try:
                self._keeper = start(
                    [sys.executable, "-I", "-S", "-c", _KEEPER, self._folder.name],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    start_new_session=True,  # a signal to the grader's group does not reach it
                )
            except BaseException:
                self._folder.cleanup()
                raise

    def folder(self) -> tempfile.TemporaryDirectory[str]:
        """Return a new folder for one process. Raises UsageError."""
        return temporary_folder(self._folder.name)

    def close(self) -> None:
        """Remove all folders."""
        self._folder.cleanup()
        if self._keeper:
            assert self._keeper.stdin
            with contextlib.suppress(OSError):
                self._keeper.stdin.close()
            self._keeper.wait()
