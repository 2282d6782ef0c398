"""`grader grade`: grade submissions and print or write the reports."""

from __future__ import annotations

import importlib
import shlex
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from grader import runners
from grader.catalog import Course
from grader.commands import FAULT, MET, NOT_MET, Context
from grader.commands.faults import exit_code
from grader.commands.publish import Printing, publish, read_places
from grader.errors import Complaint, GraderError, UsageError, unknown_name
from grader.formats import FORMATS
from grader.model import Outlook, Report
from grader.options import GradingOptions, RunningOptions
from grader.pipeline import ProblemGrader
from grader.submission import own_helpers


@dataclass(frozen=True, slots=True)
class GradeOptions:
    """The submissions to grade, how to grade them, and the outputs."""

    targets: tuple[str, ...]
    problem: str | None
    verbose: bool
    format: str | None
    output: tuple[str, ...]
    helpers: tuple[str, ...]
    grading: GradingOptions
    running: RunningOptions

    @property
    def printing(self) -> Printing:
        """The part of the options that decides what is printed."""
        helpers = [word for file in self.helpers for word in ("--with", file)]
        flags = [*helpers, *self.grading.as_flags(), *self.running.as_flags()]
        return Printing(self.format, self.verbose, shlex.join(flags))


@dataclass(frozen=True, slots=True)
class Target:
    """One file to grade as a solution of one exercise."""

    slug: str
    path: Path
    helpers: Mapping[str, Path] = field(default_factory=dict)
    """files that it may import because its folder was named as the submission, by module name"""


def run(options: GradeOptions, context: Context) -> int:
    """Grade the submissions, then print and write the reports.

    Return 0 if every report is a pass, else 1; 3 if a fault kept a submission from being graded.
    """
    outputs = read_places(options.output, "--output", FORMATS, context.cwd)
    targets = find_targets(context.course, options.targets, options.problem, context.cwd)
    reports, troubles = grade_targets(targets, options, context)
    if reports:
        publish(reports, options.printing, outputs, context)
    for target, trouble in troubles:
        context.tell(f"{context.course.shown(target.path)} was not graded:")
        exit_code(trouble, context)
    if troubles:
        return FAULT
    return MET if all(r.verdict is Outlook.PASSED for r in reports) else NOT_MET


def grade_targets(
    targets: list[Target], options: GradeOptions, context: Context
) -> tuple[list[Report], list[tuple[Target, Exception]]]:
    """Return the reports of the targets in order, and the targets with a fault of the grader."""
    course = context.course
    grading, running = options.grading.at(context.cwd), options.running
    graders = {
        slug: ProblemGrader(course, slug, grading)
        for slug in dict.fromkeys(target.slug for target in targets)
    }
    runner, note = runners.choose(running.runner, running.require_isolation)
    if note:
        context.tell(note)
    helpers = read_helpers(options.helpers, context.cwd)
    if options.format in (None, "terminal"):
        _import_in_background("grader.formats.terminal")
    reached = runners.Reached(runner.name, runner.isolation)
    reports: list[Report] = []
    troubles: list[tuple[Target, Exception]] = []
    try:
        for target in targets:
            try:
                own = {**target.helpers, **helpers}
                reports.append(graders[target.slug].grade(target.path, runner, own))
            except GraderError:
                raise
            except Exception as error:  # the other files must be graded after any fault
                troubles.append((target, error))
                with suppress(Exception):
                    runner.close()
                runner = runners.again(reached)
    finally:
        runner.close()
    return reports, troubles


def read_helpers(words: Sequence[str], cwd: Path) -> dict[str, Path]:
    """Return the files that `--with` names, by module name.

    Raises UsageError for a file that no submission can import, a link, and a name given twice.
    """
    helpers: dict[str, Path] = {}
    for word in words:
        path = cwd / word
        if path.is_symlink():
            raise UsageError(f"--with {word}: this is a link; name the file itself")
        if not path.is_file():
            raise UsageError(f"--with {word}: there is no such file")
        if path.suffix != ".py" or not path.stem.isidentifier():
            raise UsageError(f"--with {word}: a helper is a .py file that can be imported by name")
        if path.stem in helpers:
            raise UsageError(f"--with {word}: two helpers are called {path.name}")
        helpers[path.stem] = path
    return helpers


def _import_in_background(module: str) -> None:
    """Import a module in a thread, while child processes run the submissions."""
    threading.Thread(target=importlib.import_module, args=(module,), daemon=True).start()


def find_targets(
    course: Course, words: Sequence[str], problem: str | None, cwd: Path
) -> list[Target]:
    """Return the files that `words` (slugs or paths) name; without words, every solution.

    A folder is one learner's hand-in: its files of that name solve the exercises, and may import
    the others. Raises UsageError for a word that is neither a slug nor a file, with the nearest
    name, for a file of which it is unclear which exercise it solves, and for a folder without any.
    """
    if problem is not None:
        course.require(problem)
    if not words:
        slugs = [problem] if problem else course.slugs
        if not slugs:
            raise UsageError(f"no exercise in {course.root / 'problems'}")
        return [Target(slug, course.solution(slug)) for slug in slugs]
    return [target for word in words for target in _targets(course, word, problem, cwd)]


def _targets(course: Course, word: str, problem: str | None, cwd: Path) -> list[Target]:
    path = cwd / word
    if word in course.slugs and not path.is_file():
        return [Target(word, course.solution(word))]
    if path.is_dir():
        return _targets_in(course, path, word, problem)
    return [_target(course, word, problem, path)]


def _targets_in(course: Course, folder: Path, word: str, problem: str | None) -> list[Target]:
    """Return the solutions in a folder that is one learner's hand-in."""
    slugs = [problem] if problem else course.slugs
    named = [(slug, folder / f"{slug}{suffix}") for slug in slugs for suffix in (".py", ".ipynb")]
    found = [(slug, path) for slug, path in named if path.is_file()]
    if not found:
        expected = f"{slugs[0]}.py" if len(slugs) == 1 else "a file named after an exercise"
        advice = f"Name a file in it, or grade a class with `grader batch {shlex.quote(word)}`."
        message = f"the folder {word!r} has no solution: it does not contain {expected}"
        raise UsageError(Complaint(message, advice=advice))
    return [Target(slug, path, own_helpers(path)) for slug, path in found]


def _target(course: Course, word: str, problem: str | None, path: Path) -> Target:
    if not path.is_file():
        near = [p.name for p in path.parent.glob("*.py")] if path.parent.is_dir() else []
        looks_like_file = "/" in word or "\\" in word or word.endswith((".py", ".ipynb"))
        if looks_like_file:
            raise unknown_name(f"no file {word!r}", path.name, near)
        raise unknown_name(f"no exercise and no file {word!r}", word, course.slugs)
    slug = problem or (path.stem if path.stem in course.slugs else None)
    if slug is None and len(course.slugs) == 1:
        slug = course.slugs[0]
    if slug is None:
        advice = f"Add --problem SLUG, one of: {', '.join(course.slugs)}."
        raise UsageError(Complaint(f"{word} may solve several exercises", advice=advice))
    return Target(slug, path)
