"""Report the exception that ended a command."""

from __future__ import annotations

import sys

from grader.commands import FAULT, TO_FIX, Context
from grader.errors import MachineError

_NEEDED = ("numpy", "rich", "yaml")
"""packages that the environment contains and another Python may lack"""


def crashed(error: Exception, context: Context) -> int:
    """Report a missing package, a fault of the machine or of the grader; return the exit code."""
    if isinstance(error, MachineError):
        context.tell(f"{error}\n    help: This machine is short of memory or processes; try again.")
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
