"""`grader list`, `grader show` and `grader hint`: what a learner reads before and between runs."""

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
    """The exercise, and which hint; None means the next one."""

    slug: str
    number: int | None


def run_list(_options: ListOptions, context: Context) -> int:
    """Print every exercise with its slug, title and the file to write."""
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
    if not console.is_terminal:  # a file needs no blanks up to the edge
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    context.stdout.write(text)
    return MET


_PLAIN = {"•": "*", "·": "*", "√": "sqrt ", "ᵀ": "^T", "—": "-", "≤": "<=", "≥": ">=", "→": "->"}


def _showable(text: str, encoding: str) -> str:
    """Return a text with what an encoding lacks in other words, where there are any."""
    for fancy, plain in _PLAIN.items():
        try:
            fancy.encode(encoding)
        except UnicodeEncodeError:
            text = text.replace(fancy, plain)
    return text


def run_hint(options: HintOptions, context: Context) -> int:
    """Print the next hint, or hint N; which one comes next is kept in `.grader/hints.json`."""
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
    says = f"The next one: {again}" if number < total else "That was the last one."
    console.print(Text(says, "dim", overflow="fold"))
    return MET


def _given(memory: Path) -> dict[str, int]:
    """Return how many hints of each exercise were given; a broken memory counts as none."""
    try:
        found = json.loads(memory.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, int) and v >= 0}


def _remember(memory: Path, slug: str, number: int) -> None:
    """Record the last hint given; where nothing can be written, the same hint comes again."""
    with suppress(UsageError):
        files.make_folder(memory.parent)
        files.write(memory, json.dumps(_given(memory) | {slug: number}) + "\n")
