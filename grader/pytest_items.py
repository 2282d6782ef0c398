"""Pytest nodes for a course: case files, their requirements and their cases.

A submission runs once in a session (and once in each worker of xdist) on all cases of its
exercise; each item then reports the result of its own case. Node ids are
`cases/<slug>/<file>::<requirement>::<case>`, where a hidden case is called `hidden-N`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from grader import explain, redaction, runners
from grader.catalog import Course
from grader.errors import GraderError, MachineError, UsageError
from grader.formats.shared import (
    LONGEST_MESSAGE,
    LONGEST_OUTPUT,
    case_headline,
    hint_of,
    refusal_text,
    tidy,
)
from grader.model import Case, CaseResult, Problem, Report, RequirementResult, Verdict
from grader.pipeline import ProblemGrader
from grader.runners import Runner
from grader.submission import own_helpers
from grader.text import without_commands

_T = TypeVar("_T")


class NotConfinedWarning(pytest.PytestWarning):
    """Learner code ran without a sandbox; the text says what is missing."""


class NotRightError(Exception):
    """A case that did not pass; its text is the complete report, without a traceback."""


@dataclass(frozen=True, slots=True)
class _Graded:
    report: Report
    results: dict[str, tuple[RequirementResult, CaseResult]]
    """id of the case as shown to the learner -> results of its requirement and of the case"""


class Grading:
    """Grades the exercises of a pytest session: each once, when its first case is run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._problems: dict[Path, Problem | GraderError] = {}
        self._graded: dict[Path, _Graded | GraderError | MachineError] = {}
        self._open = ExitStack()
        self._runner: Runner | None = None
        self._first_slug = ""
        config.add_cleanup(self._open.close)

    @staticmethod
    def of(config: pytest.Config) -> Grading:
        """Return the instance of the session."""
        if _KEY not in config.stash:
            config.stash[_KEY] = Grading(config)
        return config.stash[_KEY]

    def problem(self, course: Course, slug: str) -> Problem | None:
        """Return an exercise, loaded once; None if `--submission` is a file for another exercise.

        Raises GraderError, also when it is unclear which exercise the file solves.
        """
        named = self._named_submission()
        if named and not named.is_dir():
            if named.stem != slug and named.stem in course.slugs:
                return None
            self._first_slug = self._first_slug or slug
            if self._first_slug != slug:
                name = self._config.getoption("submission")
                raise UsageError(
                    f"which exercise does {name} solve, {self._first_slug} or {slug}?"
                    f" Name its folder: pytest cases/{slug} --submission {name}"
                )
        folder = course.problem_folder(slug)
        if folder not in self._problems:
            try:
                self._problems[folder] = course.load(slug)
            except GraderError as error:
                self._problems[folder] = error
        return _or_raise(self._problems[folder])

    def graded(self, course: Course, slug: str) -> _Graded:
        """Return the results of the submission, which is graded once.

        Raises GraderError and MachineError.
        """
        folder = course.problem_folder(slug)
        if folder not in self._graded:
            try:
                self._graded[folder] = self._grade(course, slug)
            except (GraderError, MachineError) as error:
                self._graded[folder] = error
        return _or_raise(self._graded[folder])

    def _grade(self, course: Course, slug: str) -> _Graded:
        grader = ProblemGrader(course, slug)
        if self._runner is None:
            runner, note = runners.choose()
            self._runner = self._open.enter_context(runner)
            if not runner.confines:
                why = note or f"the runner {runner.name!r} does not confine learner code"
                warnings.warn(NotConfinedWarning(why), stacklevel=1)
        path = self._submission(course, slug)
        named = self._named_submission()
        helpers = own_helpers(path) if named and named.is_dir() else {}
        report = grader.grade(path, self._runner, helpers)
        results = {
            case.case.id: (result, case) for result in report.requirements for case in result.cases
        }
        return _Graded(report, results)

    def _submission(self, course: Course, slug: str) -> Path:
        named = self._named_submission()
        if named is None:
            return course.solution(slug)
        if not named.is_dir():
            return named
        files = [named / f"{slug}{suffix}" for suffix in (".py", ".ipynb")]
        return next((file for file in files if file.is_file()), files[0])

    def _named_submission(self) -> Path | None:
        name = self._config.getoption("submission")
        return self._config.invocation_params.dir / name if name else None


_KEY = pytest.StashKey[Grading]()


class CaseFileNode(pytest.File):
    """A case file of a course."""

    def collect(self) -> Iterator[RequirementNode]:
        """Yield the requirements of the file's cases. Raises CollectError for mistakes in files."""
        course, slug = _course_of(self.path), self.path.parent.name
        here = course.shown(self.path)
        try:
            problem = Grading.of(self.config).problem(course, slug)
        except GraderError as error:
            own = [c for c in error.complaints if c.location and c.location.path == here]
            complaints = own or error.complaints[:1]
            raise self.CollectError("\n".join(map(str, complaints))) from None
        shown = redaction.shown_cases(problem).values() if problem else ()
        cases = [case for case in shown if case.location.path == here]
        for requirement in dict.fromkeys(case.requirement for case in cases):
            own_cases = [case for case in cases if case.requirement == requirement]
            yield RequirementNode.from_parent(self, name=requirement, cases=own_cases)


class RequirementNode(pytest.Collector):
    """The cases of one requirement in one file."""

    def __init__(self, cases: list[Case], **rest: Any) -> None:
        super().__init__(**rest)
        self._cases = cases

    def collect(self) -> Iterator[CaseItem]:
        """Yield the cases as items."""
        for case in self._cases:
            yield CaseItem.from_parent(self, name=case.id, case=case)


class CaseItem(pytest.Item):
    """One case, which passes, fails or is skipped by the grader's verdict."""

    def __init__(self, case: Case, **rest: Any) -> None:
        super().__init__(**rest)
        self._case = case

    def runtest(self) -> None:
        """Grade the submission on first use and report the verdict of this case.

        A skipped case is a skip. A wrong case of a bonus requirement is an expected failure,
        since a bonus never makes a submission fail. Raises NotRightError for any other case that
        did not pass and for a file that cannot be graded.
        """
        course, slug = _course_of(self.path), self.path.parent.name
        graded = Grading.of(self.config).graded(course, slug)
        if graded.report.refusal:
            name = graded.report.submission
            raise NotRightError(f"{name} cannot be graded\n{refusal_text(graded.report)}")
        requirement, result = graded.results[self._case.id]
        if result.execution.output:
            output = without_commands(tidy(result.execution.output, LONGEST_OUTPUT))
            self.add_report_section("call", "stdout", output)
        if result.verdict is Verdict.SKIPPED:
            why = tidy(explain.reason(result) or explain.waiting(requirement))
            pytest.skip(without_commands(why))
        if result.verdict is not Verdict.PASSED:
            if requirement.requirement.bonus:
                pytest.xfail(without_commands(f"bonus: {case_headline(result)}"))
            raise NotRightError(self._failure_text(result, requirement))

    def _failure_text(self, result: CaseResult, requirement: RequirementResult) -> str:
        lines = [case_headline(result)]
        lines += tidy(explain.message(result), LONGEST_MESSAGE).strip().splitlines()[1:]
        lines += [f"note: {tidy(note)}" for note in explain.notes(result)]
        lines += [f"why this case: {tidy(result.case.why)}", hint_of(requirement)]
        path, line, _ = self.location
        return "\n".join([*filter(None, lines), f"{path}:{(line or 0) + 1}"])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Return the message without a traceback, which only a fault of the grader keeps."""
        if isinstance(excinfo.value, NotRightError | GraderError | MachineError):
            return without_commands(str(excinfo.value))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return the file, the line (counted from 0) and a name for headings."""
        line = self._case.location.line
        return self.path, line - 1 if line else None, f"{self._case.requirement}: {self.name}"


def _course_of(case_file: Path) -> Course:
    return Course(case_file.parents[2])


def _or_raise(result: _T | GraderError | MachineError) -> _T:
    if isinstance(result, GraderError | MachineError):
        raise result
    return result
