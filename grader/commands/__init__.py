"""One module for each command: `run(options, context) -> exit code`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from grader.text import clean, without_commands

if TYPE_CHECKING:
    from rich.console import Console

    from grader.catalog import Course

MET = 0
NOT_MET = 1
TO_FIX = 2
FAULT = 3
_LONGEST_LINE = 100_000


@dataclass(slots=True)
class Context:
    """The surroundings of a command: its working folder, streams, environment and course."""

    cwd: Path
    stdout: TextIO
    stderr: TextIO
    environment: Mapping[str, str] = field(default_factory=dict)
    root: Path | None = None

    @property
    def course(self) -> Course:
        """The course at `--root`, or the one around the current folder. Raises UsageError."""
        from grader.catalog import Course

        return Course.at(self.cwd / self.root) if self.root else Course.find(self.cwd)

    @property
    def in_actions(self) -> bool:
        """Whether GitHub Actions reads the output and executes the commands in it."""
        return bool(self.environment.get("GITHUB_ACTIONS"))

    def console(self) -> Console:
        """Return a rich console on standard output."""
        from rich.console import Console

        return Console(file=self.stdout, highlight=False, _environ=self.environment)

    @property
    def command(self) -> str:
        """How the user starts this program: `grader` if that is on the path."""
        import shutil  # here, since it loads compression libraries and few commands need it

        if shutil.which("grader", path=self.environment.get("PATH", "")):
            return "grader"
        script = Path(sys.executable).with_name("grader")
        if not script.is_file():
            return "python -m grader"
        return str(script.relative_to(self.cwd) if script.is_relative_to(self.cwd) else script)

    def say(self, line: str) -> None:
        """Print a line of plain text that belongs to the result on standard output."""
        print(self._harmless(line), file=self.stdout)

    def tell(self, line: str) -> None:
        """Print a line of plain text that does not belong to the result on standard error."""
        print(self._harmless(line), file=self.stderr)

    def _harmless(self, line: str) -> str:
        """Return a line without what would control a terminal or a CI job: names in it may try."""
        line = clean(line, _LONGEST_LINE)
        return without_commands(line) if self.in_actions else line
