"""`grader doctor`: what confines learner code on this machine, and how this was found."""

from __future__ import annotations

import errno
import json
import platform
import signal
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.commands import MET, NOT_MET, Context

if TYPE_CHECKING:
    from rich.console import Console

    from grader.runners import Reached
    from grader.runners.examination import Tried

_NARROW = 60


@dataclass(frozen=True, slots=True)
class DoctorOptions:
    """How the findings are printed: `terminal` or `json`."""

    format: str


def run(options: DoctorOptions, context: Context) -> int:
    """Print the findings; 0 when learner code can be confined here, 1 when it cannot."""
    from grader import runners
    from grader.errors import UsageError
    from grader.runners.examination import examine

    reached, note = runners.reach("auto", require_isolation=False)
    confines = runners.RUNNERS[reached.runner]().confines
    why = note or "it confines learner code, and every layer that it needs works here"
    try:
        attempts: tuple[Tried, ...] = examine().attempts
    except UsageError as error:
        attempts = ()
        if confines:  # else `why` says it
            why += f"; no attempt was made: {error.complaints[0].message}"
    if options.format == "json":
        context.say(json.dumps(_facts(reached, why, confines, attempts), indent=2))
    else:
        _print(context.console(), reached, why, attempts)
    return MET if confines else NOT_MET


def _versions() -> dict[str, str]:
    import numpy as np

    from grader import __version__

    return {
        "grader": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def _facts(
    reached: Reached, why: str, confines: bool, attempts: tuple[Tried, ...]
) -> dict[str, Any]:
    return {
        "version": 1,
        **_versions(),
        "runner": reached.runner,
        "confines": confines,
        "why": why,
        "isolation": list(reached.layers),
        "attempts": [
            {
                "layer": one.layer,
                "name": one.name,
                "result": _result(one),
                "answer": _word(one.answer),
                "without": _word(one.without),
            }
            for one in attempts
        ],
    }


def _print(console: Console, reached: Reached, why: str, attempts: tuple[Tried, ...]) -> None:
    from rich.text import Text

    def say(line: str = "", style: str = "") -> None:
        console.print(Text(line, style, overflow="fold"))

    versions = _versions()
    say(f"grader {versions['grader']}, Python {versions['python']}, NumPy {versions['numpy']}")
    say(versions["system"])
    say()
    say(f"runner: {reached.runner}", "bold")
    say(f"`--runner auto` chooses it: {why}.")
    say()
    say("isolation", "bold")
    for layer in reached.layers:
        say(f"- {layer}")
    for layer in dict.fromkeys(one.layer for one in attempts):
        say()
        say(f"tried: {layer}", "bold")
        for one in (one for one in attempts if one.layer == layer):
            say(_line(one, console.width < _NARROW), _STYLES[_result(one)])
    if attempts:
        counts = Counter(map(_result, attempts))
        say()
        say(", ".join(f"{count} {result}" for result, count in counts.items()))
        say("no proof: this user could not do it without the layer either", "dim")


_STYLES = {"refused": "", "holds": "", "ALLOWED": "bold red", "no proof": "dim", "not tried": "dim"}


def _result(one: Tried) -> str:
    """Return a key of `_STYLES`."""
    from grader.runners.examination import HELD

    if one.answer is None:
        return "not tried"
    if not one.refused:
        return "ALLOWED"
    if one.answer == HELD:
        return "holds"
    return "refused" if one.proved or one.without is None else "no proof"


def _line(one: Tried, narrow: bool) -> str:
    result = _result(one)
    if one.answer is None:
        return f"{result:9} {one.name} (Landlock ABI {one.since})"
    if narrow:
        return f"{result:9} {one.name}: {_word(one.answer)}"
    without = "" if one.without is None else f"without: {_word(one.without)}"
    return f"{result:9} {one.name:35} {_word(one.answer):11} {without}".rstrip()


def _word(answer: int | None) -> str:
    """Return an answer of the kernel as its name."""
    from grader.runners.examination import HELD

    if answer is None:
        return "not tried"
    if answer == HELD:
        return "as set"
    if answer == 0:
        return "allowed"
    if answer > 0:
        return errno.errorcode.get(answer, f"error {answer}")
    try:
        return signal.Signals(-answer).name
    except ValueError:
        return "no answer"
