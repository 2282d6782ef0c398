"""Grade any number of files as solutions of one exercise, from file to report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from grader import dependencies, grading, redaction
from grader import submission as submissions
from grader.catalog import Course
from grader.errors import Complaint, UsageError
from grader.grading import PreparedProblem
from grader.model import (
    Call,
    Case,
    Diagnosis,
    Execution,
    Misconception,
    Refusal,
    Report,
    RequirementResult,
    Run,
    Submission,
)
from grader.options import GradingOptions
from grader.runners import Runner, inprocess
from grader.text import clean_line

_DEFAULTS = GradingOptions()


class ProblemGrader:
    """Grades files as solutions of one exercise.

    The problem is loaded and the reference run once. Misconceptions are loaded for the first
    submission with a red requirement; each is run at most once on each case.

    A report contains only the verdicts of hidden cases; with `reveal` it contains all details and
    is for instructors. Raises AuthorError and UsageError as `Course.load` and `grading.prepare`
    do.
    """

    def __init__(self, course: Course, slug: str, options: GradingOptions = _DEFAULTS) -> None:
        problem = course.load(slug, options.extra)
        if not problem.cases:
            where = course.shown(course.root / "cases" / slug)
            advice = f"Add a case file, {where}/*.yaml, or pass --cases DIR."
            raise UsageError(
                Complaint(f"{where} has no case, so nothing can be graded", None, advice)
            )
        self.course = course
        self.slug = slug
        self.prepared: PreparedProblem = grading.prepare(
            problem, course.reference(problem), options.reseed
        )
        self.diagnoses = options.diagnoses
        self.reveal = options.reveal
        self._calls: dict[str, Call] = {call.case: call for call in self.prepared.calls}
        self._misconceptions: tuple[Misconception, ...] | None = None
        self._executed: dict[tuple[str, str], Execution] = {}

    def grade(
        self, path: Path, runner: Runner, helpers: Mapping[str, Path] = MappingProxyType({})
    ) -> Report:
        """Grade one file. It may import the modules of `helpers`: files by module name.

        The course's `solutions/` belongs to one learner, so its files may import each other.
        """
        # A learner chose the file's name; it may contain line breaks and escapes.
        name = clean_line(self.course.shown(path))
        if path.parent.resolve() == self.course.solution(self.slug).parent.resolve():
            helpers = {**submissions.own_helpers(path), **helpers}
        read = submissions.read(path, name, helpers, self.prepared.problem.entry_point)
        return self.grade_read(read, name, runner)

    def grade_read(self, read: Submission | Refusal, name: str, runner: Runner) -> Report:
        """Grade a submission that is read already; the report calls it `name`."""
        diagnose = self._diagnose if self.diagnoses else None
        report = grading.grade(self.prepared, read, name, runner, diagnose)
        return report if self.reveal else redaction.hide(report)

    def report(self, run: Run, name: str, runner: Runner) -> Report:
        """Judge a run of `grading.job_of(self.prepared, ...)`, shown as `name`."""
        diagnose = self._diagnose if self.diagnoses else None
        report = grading.report(self.prepared, run, name, runner, diagnose)
        return report if self.reveal else redaction.hide(report)

    def _diagnose(self, run: Run, results: tuple[RequirementResult, ...]) -> dict[str, Diagnosis]:
        if not any(dependencies.is_red(result) for result in results):
            return {}
        from grader.diagnose import diagnose

        if self._misconceptions is None:
            self._misconceptions = self.course.misconceptions(self.prepared.problem)
        return diagnose(self.prepared, self._misconceptions, self._execution, run, results)

    def _execution(self, misconception: Misconception, case: Case) -> Execution:
        key = (misconception.id, case.id)
        if key not in self._executed:
            call = self._calls[case.id]
            executions = inprocess.execute(
                misconception.implementation, self.prepared.problem.returns, [call]
            )
            self._executed[key] = executions[case.id]
        return self._executed[key]
