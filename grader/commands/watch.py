"""`grader watch`: grade on every save with one warm runner, and print the changes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from rich.console import Group, RenderableType
from rich.live import Live
from rich.text import Text

from grader import explain, runners
from grader.catalog import Course
from grader.commands import MET, Context
from grader.errors import GraderError, MachineError
from grader.formats.json import points
from grader.formats.terminal import Screen
from grader.model import Report
from grader.options import GradingOptions, RunningOptions
from grader.pipeline import ProblemGrader
from grader.runners import Runner
from grader.text import clean, one_line
from grader.watching import Changes, FileWatch, changes

_LOOK = 0.02
"""seconds between two looks at the files; a save is graded after two, without visible delay"""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """The exercise to watch (None means all), and how it is graded."""

    slug: str | None
    grading: GradingOptions
    running: RunningOptions


@dataclass(slots=True)
class _Shown:
    """The latest results of one exercise."""

    report: Report | None = None
    last_run: Report | None = None
    """the latest report of a file that could be run"""
    changes: Changes = field(default_factory=Changes)
    complaint: str = ""
    when: str = ""


class _Watch:
    """Grades an exercise whenever its solution, problem.yaml or a case file is saved."""

    def __init__(
        self, course: Course, slugs: list[str], runner: Runner, options: GradingOptions
    ) -> None:
        self.course = course
        self.slugs = slugs
        self.runner = runner
        self.options = options
        self.graders: dict[str, ProblemGrader] = {}
        self.shown = {slug: _Shown() for slug in slugs}
        self.files = FileWatch.of(self._paths())

    def grade(self, slug: str) -> None:
        """Grade one exercise. Complaints about an author's files are shown until the next save."""
        shown = self.shown[slug]
        shown.when = f"{datetime.now():%H:%M:%S}"
        try:
            if slug not in self.graders:
                self.graders[slug] = ProblemGrader(self.course, slug, self.options)
            report = self.graders[slug].grade(self.course.solution(slug), self.runner)
        except (GraderError, MachineError) as error:
            shown.complaint = str(error)
            return
        shown.complaint = ""
        shown.report = report
        if report.refusal is None:
            # A half-written file cannot be run; compare with the last file that could.
            shown.changes = changes(shown.last_run, report)
            shown.last_run = report

    def saved(self) -> Iterator[str]:
        """Yield the exercises with files that were saved since the last look."""
        changed = self.files.changed(self._paths())
        for slug in self.slugs:
            solution = self.course.solution(slug)
            authored = [path for path in changed if path in self._authored(slug)]
            if authored:
                self.graders.pop(slug, None)
            if authored or solution in changed:
                yield slug

    def _paths(self) -> list[Path]:
        solutions = [self.course.solution(slug) for slug in self.slugs]
        return solutions + [path for slug in self.slugs for path in self._authored(slug)]

    def _authored(self, slug: str) -> list[Path]:
        cases = [case_file.path for case_file in self.course.case_files(slug)]
        return [self.course.problem_folder(slug) / "problem.yaml", *cases]


def run(options: WatchOptions, context: Context) -> int:
    """Watch until Ctrl-C; return 0."""
    course = context.course
    slugs = [course.require(options.slug)] if options.slug else course.slugs
    console = context.console()
    runner, note = runners.choose(options.running.runner, options.running.require_isolation)
    if note:
        context.tell(note)
    command = context.command
    in_place = console.is_terminal and not console.is_dumb_terminal
    screen = Live(console=console, screen=True, auto_refresh=False) if in_place else None
    with runner, screen or nullcontext():
        watch = _Watch(course, slugs, runner, options.grading)
        try:
            for slug in _saves(watch):
                watch.grade(slug)
                if screen:
                    screen.update(_page(watch, command), refresh=True)
                else:
                    console.print(_line(slug, watch.shown[slug]))
        except KeyboardInterrupt:
            pass  # the user ends a watch with Ctrl-C
    if screen:
        for slug in slugs:
            console.print(_line(slug, watch.shown[slug]))
    return MET


def _saves(watch: _Watch) -> Iterator[str]:
    """Yield every exercise once, then without end each exercise that is saved."""
    yield from watch.slugs
    while True:
        time.sleep(_LOOK)
        yield from watch.saved()


def _page(watch: _Watch, command: str) -> RenderableType:
    """Return the whole screen: a line for each exercise, then the reports, the latest first."""
    head = [Text("watching; Ctrl-C ends", "dim")]
    head += [_line(slug, shown) for slug, shown in watch.shown.items()]
    latest = sorted(watch.shown.values(), key=lambda shown: shown.when, reverse=True)
    screens = [
        Screen(shown.report, command=command, live=True)
        for shown in latest
        if shown.report and not shown.complaint
    ]
    return Group(*head, Text(), *screens)


def _line(slug: str, shown: _Shown) -> Text:
    """Return one exercise's state: time, points or complaint, changes and duration."""
    if shown.complaint:
        return _text(f"{shown.when} {slug}: {shown.complaint}")
    report = shown.report
    if report is None:
        return _text(f"{slug}: not graded yet")
    says = f"{points(report.earned)} of {points(report.possible)} points"
    if report.refusal:
        says = f"cannot be graded: {one_line(explain.refusal_summary(report.refusal))}"
    changed = f"; {shown.changes}" if str(shown.changes) and not report.refusal else ""
    took = _duration(report.seconds)
    return _text(f"{shown.when} {slug}: {says}{changed} ({took})")


def _text(line: str) -> Text:
    """Return a text of rich; the messages and names in it come from learners' files."""
    return Text(clean(line), overflow="fold")


def _duration(seconds: float) -> str:
    """Return the duration in milliseconds; in seconds for the rounded ones of hidden cases."""
    return f"{seconds:.0f} s" if seconds.is_integer() else f"{seconds * 1000:.0f} ms"
