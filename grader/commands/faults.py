"""Report the exception that ended a command."""

from __future__ import annotations

import errno
import os
import sys

from grader import stopping
from grader.commands import FAULT, NOT_MET, TO_FIX, Context
from grader.errors import Complaint, GraderError, MachineError

_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""errors of a write to an open stream on a full or failing device"""

_NEEDED = ("numpy", "rich", "yaml")
"""packages that the environment contains and another Python may lack"""


def exit_code(error: BaseException, context: Context) -> int:
    """Report the exception that ended a command; return the exit code."""
    if isinstance(error, GraderError):
        for complaint in error.complaints:
            context.tell(f"{complaint}")
        try:
            context.stdout.flush()
        except OSError:
            _drop_output()  # the complaints already report it
        return TO_FIX
    if isinstance(error, BrokenPipeError):
        _drop_output()  # the reader closed the pipe (`grader list | head`)
        return NOT_MET
    if isinstance(error, KeyboardInterrupt):
        context.tell("interrupted")
        return error.code if isinstance(error, stopping.Stopped) else stopping.INTERRUPTED
    if isinstance(error, OSError) and error.errno in _UNWRITABLE and error.filename is None:
        _drop_output()
        context.tell(f"cannot write standard output: {error.strerror}")
        return TO_FIX
    return _fault(error, context)


def _fault(error: BaseException, context: Context) -> int:
    """Report a missing package, a fault of the machine or of the grader."""
    if isinstance(error, MachineError):
        context.tell(f"{Complaint(str(error), advice=error.advice)}")
        return FAULT
    if isinstance(error, ModuleNotFoundError) and error.name in _NEEDED:
        context.tell(
            f"the package {error.name} is missing in this Python, {sys.executable}\n"
            "    help: Use .venv/bin/grader; `make grade` builds this environment once."
        )
        return TO_FIX
    import traceback

    context.tell("".join(traceback.format_exception(error)))
    context.tell("This is a fault of the grader, not of your code. Please report the lines above.")
    return FAULT


def _drop_output() -> None:
    """Redirect standard output to the null device, so that the flush at exit does not fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
