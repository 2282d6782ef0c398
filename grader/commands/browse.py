"""`grader list`, `grader show` and `grader hint`: exercises, statements and hints."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grader import files
from grader.commands import MET, Context
from grader.errors import UsageError


@dataclass(frozen=True, slots=True)
class ListOptions:
    """`grader list` has no options."""


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """The exercise whose statement is shown."""

    slug: str


@dataclass(frozen=True, slots=True)
class HintOptions:
    """The exercise and the number of the hint; None means the next one."""

    slug: str
    number: int | None


def run_list(_options: ListOptions, context: Context) -> int:
    """Print the slug, title and solution file of every exercise."""
    course = context.course
    from rich.text import Text

    console = context.console()
    for slug in course.slugs:
        problem = course.load(slug)
        console.print(Text(slug, "bold", overflow="fold"))
        says = f"  {problem.title}: {len(problem.requirements)} requirements"
        console.print(Text(says, overflow="fold"))
        console.print(Text(f"  {course.shown(course.solution(slug))}", "dim", overflow="fold"))
    return MET


def run_show(options: ShowOptions, context: Context) -> int:
    """Print the statement, rendered for the terminal."""
    from rich.markdown import Markdown

    course = context.course
    slug = course.require(options.slug)
    console = context.console()
    with console.capture() as capture:
        console.print(Markdown(course.statement(slug)))
    text = _showable(capture.get(), console.encoding)
    if not console.is_terminal:  # remove the padding to the width of the console
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    context.stdout.write(text)
    return MET


_PLAIN = {"•": "*", "·": "*", "√": "sqrt ", "ᵀ": "^T", "—": "-", "≤": "<=", "≥": ">=", "→": "->"}


def _showable(text: str, encoding: str) -> str:
    """Return the text with ASCII replacements for characters that the encoding lacks."""
    for fancy, plain in _PLAIN.items():
        try:
            fancy.encode(encoding)
        except UnicodeEncodeError:
            text = text.replace(fancy, plain)
    return text


def run_hint(options: HintOptions, context: Context) -> int:
    """Print the next hint, or hint N. `.grader/hints.json` stores the number of the last one."""
    from rich.text import Text

    course = context.course
    problem = course.load(course.require(options.slug))
    total = len(problem.hints)
    if not total:
        raise UsageError(f"{problem.slug} has no hints")
    memory = course.root / ".grader" / "hints.json"
    number = options.number
    if number is None:
        number = _given(memory).get(problem.slug, 0) % total + 1
        _remember(memory, problem.slug, number)
    if not 1 <= number <= total:
        raise UsageError(f"{problem.slug} has hints 1 to {total}; there is no hint {number}")
    console = context.console()
    console.print(Text(f"Hint {number} of {total}", "bold"))
    console.print(Text(problem.hints[number - 1].strip(), overflow="fold"))
    again = f"{context.command} hint {problem.slug}"
    if options.number is not None:
        again += f" {number + 1}"
    says = f"Next hint: {again}" if number < total else "This is the last hint."
    console.print(Text(says, "dim", overflow="fold"))
    return MET


def _given(memory: Path) -> dict[str, int]:
    """Return the number of the last hint by slug; an unreadable file counts as empty."""
    try:
        found = json.loads(memory.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, int) and v >= 0}


def _remember(memory: Path, slug: str, number: int) -> None:
    """Store the number of the last hint. If the file cannot be written, the hint is repeated."""
    with suppress(UsageError):
        files.make_folder(memory.parent)
        files.write(memory, json.dumps(_given(memory) | {slug: number}) + "\n")
