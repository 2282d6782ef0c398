"""Write the reports of a run to the terminal, to GitHub Actions and to files.

The reports are printed first, so that they are not lost if a file cannot be written.
"""

from __future__ import annotations

import io
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from grader import formats
from grader.commands import Context
from grader.errors import Complaint, UsageError, unknown_name
from grader.files import append, write
from grader.model import Report
from grader.text import without_commands

_SUMMARY_LIMIT = 1024 * 1024
"""bytes of the summary of one step; GitHub rejects a larger summary as a whole"""


@dataclass(frozen=True, slots=True)
class Printing:
    """Options of the printed report.

    A `format` of None means the terminal's and, in GitHub Actions, also annotations. `verbose`
    shows all failing cases of a requirement instead of the first. `flags` are the options of
    this run, which the report repeats in the commands that it offers.
    """

    format: str | None
    verbose: bool
    flags: str


Places = Sequence[tuple[str, Path]]
"""pairs of format and path"""


def read_places(texts: Sequence[str], option: str, known: Iterable[str], cwd: Path) -> Places:
    """Return the format and the path of each `NAME=PATH` of an option.

    Raises UsageError for a format that is not `known`, a missing path, and a path that is given
    twice.
    """
    places: list[tuple[str, Path]] = []
    for text in texts:
        name, separator, path = text.partition("=")
        if not separator or not path:
            example = f"markdown={option.removeprefix('--')}"
            raise UsageError(f"{option} {text}: write NAME=PATH, for example {example}")
        if name not in known:
            raise unknown_name(f"{option}: unknown format {name!r}", name, known)
        if any(other == cwd / path for _, other in places):
            raise UsageError(f"{option}: two formats for one path, {path}")
        places.append((name, cwd / path))
    return places


def _switch_to_utf_8(stream: TextIO) -> None:
    """Encode a stream as UTF-8 in every locale, as programs that read formats expect."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="replace")


def publish(
    reports: Sequence[Report],
    printing: Printing,
    outputs: Iterable[tuple[str, Path]],
    context: Context,
) -> None:
    """Print the reports, then write the files.

    Without `--format`, print the terminal's report and, in GitHub Actions, annotations and a
    summary. Raises UsageError with every path that cannot be written, after all others are
    written.
    """
    in_actions = context.in_actions
    annotates = printing.format == "github" or (printing.format is None and in_actions)
    complaints: list[Complaint] = []
    try:
        if printing.format in (None, "terminal"):
            _print(reports, printing, context, in_actions)
        if annotates:
            from grader.formats import github

            context.stdout.write(github.render(reports, _folder(context)))
        elif printing.format not in (None, "terminal"):
            _switch_to_utf_8(context.stdout)
            text = formats.render(printing.format, reports)
            # A fence would spoil a document that is piped to a program.
            context.stdout.write(without_commands(text) if in_actions else text)
        context.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        complaints.append(Complaint(f"cannot write standard output: {error.strerror}"))
    complaints += _write_all(reports, outputs)
    if annotates:
        complaints += _append_summary(reports, context)
    if complaints:
        raise UsageError(*complaints)


def _print(reports: Sequence[Report], printing: Printing, context: Context, fence: bool) -> None:
    """Print the terminal's report; with `fence`, disable workflow commands around it."""
    from grader.formats import terminal

    def show() -> None:
        terminal.show(
            context.console(),
            reports,
            every_case=printing.verbose,
            command=context.command,
            flags=printing.flags,
        )

    if not fence:
        show()
        return
    from grader.formats import github

    token = secrets.token_hex(16)
    context.stdout.write(github.fence_start(token))
    show()
    context.stdout.write(github.fence_end(token))


def _write_all(
    reports: Sequence[Report], outputs: Iterable[tuple[str, Path]]
) -> Iterator[Complaint]:
    for name, path in outputs:
        try:
            write(path, formats.render(name, reports), follow_link=False)
        except UsageError as error:
            yield from error.complaints


def _append_summary(reports: Sequence[Report], context: Context) -> Sequence[Complaint]:
    """Append to the step's summary; its limit includes what earlier commands wrote."""
    place = context.environment.get("GITHUB_STEP_SUMMARY")
    if not place:
        return ()
    from grader.formats import markdown

    path = Path(place)
    try:
        used = path.stat().st_size if path.exists() else 0
        append(path, markdown.render(reports, min(markdown.LIMIT, _SUMMARY_LIMIT - used - 1)))
    except UsageError as error:
        return error.complaints
    except OSError as error:
        return (Complaint(f"cannot write {path}: {error.strerror}"),)
    return ()


def _folder(context: Context) -> str:
    """Return the course's path in the repository as `path/`, or "" if it is the root."""
    workspace = context.environment.get("GITHUB_WORKSPACE")
    if not workspace:
        return ""
    root, base = context.course.root, Path(workspace).resolve()
    if root == base or not root.is_relative_to(base):
        return ""
    return f"{root.relative_to(base).as_posix()}/"
