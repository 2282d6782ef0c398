"""A model of how GitHub's runner reads a step's output, from its source.

actions/runner `src/Runner.Common/ActionCommand.cs` (`TryParseV2`, `TryParse`) and
`src/Runner.Worker/ActionCommandManager.cs` (`TryProcessCommand`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

REGISTERED = frozenset(
    [
        "stop-commands", "set-env", "set-output", "save-state", "add-mask", "add-path",
        "add-matcher", "remove-matcher", "debug", "error", "warning", "notice", "group",
        "endgroup", "echo",
    ]
)  # fmt: skip


@dataclass(frozen=True)
class Command:
    """One workflow command, as the runner parses it."""

    name: str
    data: str
    properties: dict[str, str] = field(default_factory=dict)


def commands(text: str) -> list[Command]:
    """Return the commands that a runner executes while it reads `text`."""
    executed: list[Command] = []
    token = ""
    for line in re.split("\r\n|\n|\r", text):  # .NET's ReadLine
        registered = REGISTERED | ({token.lower()} if token else frozenset())
        command = _version_2(line, registered) or _version_1(line, registered)
        if command is None:
            continue
        if token:
            if command.name.lower() == token.lower():
                token = ""
            continue
        executed.append(command)
        if command.name.lower() == "stop-commands":
            token = command.data
    return executed


def is_open(text: str) -> bool:
    """Return whether commands are still stopped at the end of `text`."""
    return not any(c.name == "debug" for c in commands(text + "\n::debug::probe\n"))


def _version_2(line: str, registered: frozenset[str]) -> Command | None:
    line = line.lstrip()
    if not line.startswith("::"):
        return None
    end = line.find("::", 2)
    if end < 0:
        return None
    name, space, rest = line[2:end].partition(" ")
    if name.lower() not in registered:
        return None
    properties = {}
    for pair in rest.strip().split(",") if space else []:
        parts = [part for part in pair.split("=", 1) if part]
        if len(parts) == 2:
            properties[parts[0].lower()] = _unescape(parts[1], ("%3A", ":"), ("%2C", ","))
    return Command(name, _unescape(line[end + 2 :]), properties)


def _version_1(line: str, registered: frozenset[str]) -> Command | None:
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name = line[start + 3 : end].partition(" ")[0]
    return Command(name, line[end + 1 :]) if name.lower() in registered else None


def _unescape(text: str, *more: tuple[str, str]) -> str:
    for escaped, plain in (("%0D", "\r"), ("%0A", "\n"), *more, ("%25", "%")):
        text = text.replace(escaped, plain)
    return text
