"""Grade from a notebook or a Python prompt: `from grader import grade`."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from grader import runners
from grader.catalog import Course
from grader.commands.grade import find_targets, read_helpers
from grader.errors import UsageError
from grader.formats.terminal import Screen, show
from grader.model import Execution, Frame, Job, Outlook, Report, Run, Submission
from grader.options import GradingOptions
from grader.pipeline import ProblemGrader
from grader.runners import inprocess

_WIDTH = 100
_HTML = '<pre style="white-space:pre;overflow-x:auto;line-height:normal">{code}</pre>'


@dataclass(frozen=True, slots=True, repr=False)
class GradedReport:
    """A report whose `repr` is the terminal report, coloured in a notebook."""

    report: Report
    more: str
    """the call that shows every failing case; "" when all are shown"""
    note: str = ""
    """what is missing to confine the file's code; "" when nothing is, and for a function"""

    @property
    def passed(self) -> bool:
        """Whether every requirement that is not a bonus is met."""
        return self.report.verdict is Outlook.PASSED

    @property
    def earned(self) -> Fraction:
        """The points that were earned, exactly."""
        return self.report.earned

    @property
    def possible(self) -> Fraction:
        """The points that could be earned, exactly."""
        return self.report.possible

    def __repr__(self) -> str:
        # Without force_jupyter=False, rich displays in a notebook instead of writing to the file.
        console = Console(file=io.StringIO(), width=_WIDTH, color_system=None, force_jupyter=False)
        show(console, [self.report], every_case=not self.more, more=self.more)
        if self.note:
            console.print(Text(f"note: {self.note}"))
        file = console.file
        assert isinstance(file, io.StringIO)
        return file.getvalue().rstrip("\n")

    def _repr_html_(self) -> str:
        console = Console(
            file=io.StringIO(),
            width=_WIDTH,
            color_system="truecolor",
            force_terminal=True,
            force_jupyter=False,
            record=True,
            _environ={},
        )
        console.print(Screen(self.report, not self.more, more=self.more))
        if self.note:
            console.print(Text(f"note: {self.note}", "dim"))
        return console.export_html(inline_styles=True, code_format=_HTML)


def grade(
    submission: Callable[..., Any] | str | os.PathLike[str],
    problem: str | None = None,
    *,
    verbose: bool = False,
    root: str | os.PathLike[str] | None = None,
    reseed: int = 0,
    runner: str = "auto",
    helpers: Sequence[str | os.PathLike[str]] = (),
) -> GradedReport:
    """Grade a function, a file or the solution of a slug, and return the report.

    `problem` is the slug of the exercise. It is optional if the name of the function or file
    determines it. The course is searched from `root`, or the current folder, upwards. A file runs
    in its own process, as with `grader grade`; a function is called in this process without limits.
    `helpers` are files that a file may import, beside those in the course's `solutions/`.
    `verbose` shows every failing case. `reseed` changes the inputs, as `--reseed` does. Raises
    UsageError for wrong arguments and AuthorError for wrong files of the exercise.
    """
    course = Course.find(Path(root) if root is not None else Path.cwd())
    options = GradingOptions(reseed=reseed)
    if callable(submission):
        slug = _slug_of(submission, problem, course)
        report = _grade_function(submission, ProblemGrader(course, slug, options))
        note = ""
        word = _name_of(submission)
    else:
        word = os.fspath(submission)
        targets = find_targets(course, [word], problem, Path.cwd())
        if len(targets) > 1:
            raise UsageError(f"{word!r} has solutions of several exercises: name one as `problem`")
        [target] = targets
        named = read_helpers([os.fspath(helper) for helper in helpers], Path.cwd())
        chosen, note = runners.choose(runner)
        with chosen:
            grader = ProblemGrader(course, target.slug, options)
            report = grader.grade(target.path, chosen, {**target.helpers, **named})
        word = repr(word)
    more = "" if verbose else f"grade({word}, {report.problem.slug!r}, verbose=True)"
    return GradedReport(report, more, note)


def _slug_of(function: Callable[..., Any], problem: str | None, course: Course) -> str:
    if problem is not None:
        return course.require(problem)
    name = _name_of(function)
    fitting = [slug for slug in course.slugs if course.load(slug).entry_point == name]
    if len(fitting) == 1:
        return fitting[0]
    slugs = fitting or course.slugs
    raise UsageError(
        f"which exercise does {name} solve? Call grade({name}, SLUG) with one of:"
        f" {', '.join(map(repr, slugs))}."
    )


def _grade_function(function: Callable[..., Any], grader: ProblemGrader) -> Report:
    name = f"{_name_of(function)}, as defined in this session"
    return grader.grade_read(Submission(name, b""), name, _ThisProcess(function))


@dataclass(frozen=True, slots=True)
class _ThisProcess:
    """A runner that calls one function object where it was defined."""

    function: Callable[..., Any]
    name = "inprocess"
    confines = False
    isolation: tuple[str, ...] = ()

    def run(self, job: Job) -> Run:
        """Return the executions of all calls, each with its output."""
        executions = inprocess.observe(self.function, job.returns, job.calls)
        return Run({case: _readable(execution) for case, execution in executions.items()})

    def close(self) -> None:
        """Do nothing: there are no resources to free."""

    def __enter__(self) -> _ThisProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _name_of(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _readable(execution: Execution) -> Execution:
    """Return the execution with frames in cells named as the notebook names them."""
    if execution.failure is None:
        return execution
    frames = tuple(replace(f, path=_place(f)) for f in execution.failure.frames)
    return replace(execution, failure=replace(execution.failure, frames=frames))


def _place(frame: Frame) -> str:
    """Return `Cell In[3]` for the path under which IPython compiles a cell; else the path."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    named = getattr(getattr(shell, "compile", None), "format_code_name", None)
    words = named(frame.path) if named else None
    return " ".join(words) if words else frame.path
