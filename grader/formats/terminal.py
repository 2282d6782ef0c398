"""Reports for a terminal, printed with rich. Colour is never the only carrier of information.

Untrusted text is wrapped in `rich.text.Text`, so that rich does not read it as markup.
"""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader import explain
from grader.formats.json import points
from grader.formats.shared import red_cases
from grader.model import CaseResult, Outlook, Report, RequirementResult, Verdict
from grader.text import clean

ENDING = ".txt"

_MARKS = {
    Verdict.PASSED: ("✓", "ok", "green"),
    Verdict.FAILED: ("✗", "WRONG", "bold red"),
    Verdict.ERRORED: ("✗", "ERROR", "bold red"),
    Verdict.SKIPPED: ("·", "waits", "dim"),
}
_ASCII = {"✓": "+", "✗": "x", "·": "-", "│": "|", "—": "-"}
_COMMAND = re.compile(r"^[^\S\n]*(?::(?=:)|#(?=#(?:\[|vso\[)))", re.MULTILINE)
"""start of a line that a CI job would execute; folding can bring any word to the start of a line"""
_NARROW = 60
_MOST_OUTPUT_LINES = 12


def render(reports: Sequence[Report]) -> str:
    """Return the reports as printed on a terminal of 100 columns without colour."""
    console = Console(file=io.StringIO(), width=100, color_system=None, force_jupyter=False)
    show(console, reports)
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def show(
    console: Console,
    reports: Sequence[Report],
    *,
    every_case: bool = False,
    command: str = "grader",
    flags: str = "",
    more: str = "",
) -> None:
    """Print the reports, one after the other.

    With `every_case`, show all cases of a red requirement that did not pass, not only the first.
    `command` is how the user starts this program, and `flags` are the options of this run; they
    appear in the commands offered at the end. `more` replaces the command that shows every
    failing case.
    """
    for index, report in enumerate(reports):
        if index:
            console.print()
        screen = Screen(report, every_case, command, flags, more)
        if console.is_terminal:
            console.print(screen)
        else:  # in a file, remove the padding to the width of the console
            with console.capture() as capture:
                console.print(screen)
            text = "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())
            console.file.write(_COMMAND.sub(lambda match: f"{match[0]} ", text))


class Screen:
    """One report as a rich renderable, laid out for the console's width and encoding.

    A `live` screen is cut at the bottom of the terminal; it shows the red requirements first.
    """

    def __init__(
        self,
        report: Report,
        every_case: bool = False,
        command: str = "grader",
        flags: str = "",
        more: str = "",
        *,
        live: bool = False,
    ) -> None:
        self.report = report
        self.every_case = every_case
        self.command = command
        self.live = live
        slug = report.problem.slug
        is_solution = report.submission == f"solutions/{slug}.py"
        target = slug if is_solution else f"{shlex.quote(report.submission)} --problem {slug}"
        self.more = more or " ".join(filter(None, [command, "grade", target, flags, "-v"]))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from _Layout(self, options).report(self.report)


class _Layout:
    def __init__(self, screen: Screen, options: ConsoleOptions) -> None:
        self.width = options.max_width
        self.narrow = self.width < _NARROW
        self.ascii_only = options.ascii_only
        self.every_case = screen.every_case
        self.command = screen.command
        self.live = screen.live
        self.more = "" if screen.every_case else screen.more

    def text(self, content: str, style: str = "") -> Text:
        content = clean(content)  # remove escapes in file names and in output of learner code
        for fancy, simple in _ASCII.items() if self.ascii_only else ():
            content = content.replace(fancy, simple)
        return Text(content, style, overflow="fold")

    def report(self, report: Report) -> Iterator[RenderableType]:
        yield self.text(report.problem.title, "bold")
        yield self.text(report.submission, "dim")
        yield Text()
        if report.refusal:
            yield self.text(f"{_ERROR_HEAD} {report.submission} cannot be graded", "bold red")
            yield self.indented(explain.refusal_lines(report.refusal))
            yield from self.printed(report.refusal.output)
        elif report.verdict is Outlook.NOT_STARTED:
            yield from self.not_started(report)
        else:
            results = report.requirements
            for result in sorted(results, key=_is_not_red) if self.live else results:
                yield from self.requirement(result)
        yield Text()
        yield from self.summary(report)

    def not_started(self, report: Report) -> Iterator[RenderableType]:
        yield self.text("Not started yet. What it must do:")
        for result in report.requirements:
            bonus = " (bonus)" if result.requirement.bonus else ""
            yield self.row("·", "dim", result.requirement.id + bonus, result.requirement.says, "")

    def requirement(self, result: RequirementResult) -> Iterator[RenderableType]:
        mark, word, style = _MARKS[result.verdict]
        requirement = result.requirement
        passed = sum(case.verdict is Verdict.PASSED for case in result.cases)
        count = f"{passed}/{len(result.cases)}"
        says = requirement.says
        if result.verdict is Verdict.SKIPPED:
            says += f" — {explain.waiting(result)}"
        name = requirement.id + (" (bonus)" if requirement.bonus else "")
        yield self.row(mark, style, name, says, f"{word} {count}")
        if not _is_not_red(result):
            for case in _unmet(result) if self.every_case else red_cases(result)[:1]:
                yield from self.case(case)
            if result.diagnosis:
                yield self.barred([self.text(f"Hint: {result.diagnosis.hint}", "yellow")])

    def row(self, mark: str, style: str, name: str, says: str, end: str) -> RenderableType:
        """Return one requirement: on one line, or on a narrow screen on two."""
        if self.narrow:
            head = Table.grid(expand=True, padding=(0, 1, 0, 0))
            head.add_column(width=1)
            head.add_column(ratio=1)
            head.add_column(justify="right", no_wrap=True)
            head.add_row(self.text(mark, style), self.text(name, style), self.text(end, style))
            return Group(head, Padding(self.text(says), (0, 0, 0, 2)))
        grid = Table.grid(expand=True, padding=(0, 1, 0, 0))
        grid.add_column(width=1)
        grid.add_column(width=18)
        grid.add_column(ratio=1)
        grid.add_column(justify="right", no_wrap=True)
        quiet = "dim" if style == "dim" else ""
        grid.add_row(
            self.text(mark, style),
            self.text(name, style),
            self.text(says, quiet),
            self.text(end, style),
        )
        return grid

    def case(self, result: CaseResult) -> Iterator[RenderableType]:
        lines = [self.text(f"{result.case.id}: {result.case.why}", "italic")]
        first, *rest = explain.message(result).splitlines() or [""]
        lines.append(self.text(first, "bold"))
        lines += [self.text(f"  {line}") for line in rest]
        lines += [self.text(f"note: {note}") for note in explain.notes(result)]
        yield self.barred(lines)
        yield from self.printed(result.execution.output)

    def printed(self, output: str) -> Iterator[RenderableType]:
        if not output.strip():
            return
        lines = clean(output).rstrip().splitlines()
        shown = [self.text("your code printed:", "dim")]
        shown += [self.text(f"  {line}") for line in lines[:_MOST_OUTPUT_LINES]]
        if len(lines) > _MOST_OUTPUT_LINES:
            shown.append(
                self.text(f"  ... and {len(lines) - _MOST_OUTPUT_LINES} more lines", "dim")
            )
        yield self.barred(shown)

    def barred(self, lines: Sequence[Text]) -> RenderableType:
        """Return the lines with a bar at the left, also beside the parts of a folded line."""
        return Padding(_Barred(lines, "|" if self.ascii_only else "│"), (0, 0, 0, 2))

    def indented(self, lines: Sequence[str]) -> RenderableType:
        return Padding(Group(*(self.text(line) for line in lines)), (0, 0, 0, 2))

    def summary(self, report: Report) -> Iterator[RenderableType]:
        required = [r for r in report.requirements if not r.requirement.bonus]
        met = sum(r.verdict is Verdict.PASSED for r in required)
        score = f"{points(report.earned)} of {points(report.possible)} points"
        if report.verdict is Outlook.PASSED:
            yield self.text(f"✓ Every requirement is met: {score}.", "bold green")
        elif report.verdict is Outlook.NOT_STARTED:
            yield self.text(f"· Not started: {score}.", "bold")
        else:
            yield self.text(
                f"✗ {met} of {len(required)} requirements are met: {score}.", "bold red"
            )
        for note in filter(None, [explain.confinement(report), *explain.report_notes(report)]):
            yield self.text(f"note: {note}", "dim")
        if report.reseed:
            yield self.text(f"The inputs were changed by --reseed {report.reseed}.", "dim")
        for step in _next_steps(report, self.command, self.more):
            yield from self.step(*step)

    def step(self, lead: str, command: str = "", tail: str = "") -> Iterator[RenderableType]:
        """Yield one of the next steps; a command that does not fit gets lines of its own."""
        line = f"{lead} `{command}`{tail}" if command else lead
        if not command or cell_len(line) <= self.width:
            yield self.text(line)
            return
        yield self.text(lead)
        yield Padding(self.text(command), (0, 0, 0, 2), expand=False)


class _Barred:
    def __init__(self, lines: Sequence[Text], bar: str) -> None:
        self.lines = lines
        self.bar = bar

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width = max(1, options.max_width - 2)
        for line in self.lines:
            # A folded line keeps its indentation, so that columns stay aligned.
            indent = min(len(line) - len(line.plain.lstrip(" ")), width // 2)
            parts = line[indent:].wrap(
                console, max(1, width - indent - 2 * (indent > 0)), overflow="fold"
            ) or [Text()]
            for number, part in enumerate(parts):
                lead = " " * (indent + 2 * (number > 0 and indent > 0))
                yield Text.assemble((f"{self.bar} ", "dim"), lead, part)


_ERROR_HEAD = "✗"


def _is_not_red(result: RequirementResult) -> bool:
    return result.verdict not in (Verdict.FAILED, Verdict.ERRORED)


def _unmet(result: RequirementResult) -> list[CaseResult]:
    return [case for case in result.cases if case.verdict is not Verdict.PASSED]


def _next_steps(report: Report, command: str, more: str) -> list[tuple[str, ...]]:
    """Return what to do next and, if cases are left out, the command that shows them.

    Each step is a text, optionally followed by a command and the text after it.
    """
    slug = report.problem.slug
    if report.verdict is Outlook.PASSED:
        return []
    if report.refusal:
        return [("Next: fix this, save, and grade again.",)]
    if report.verdict is Outlook.NOT_STARTED:
        return [
            ("Next: read the statement with", f"{command} show {slug}", ","),
            (f"then write the function in {report.submission}.",),
        ]
    red = [r for r in report.requirements if not _is_not_red(r)]
    steps: list[tuple[str, ...]] = []
    if red:
        steps.append((f"Next: {red[0].requirement.id}. Stuck?", f"{command} hint {slug}"))
    if more and any(len(_unmet(r)) > 1 for r in red):
        steps.append(("Every failing case:", more))
    return steps
