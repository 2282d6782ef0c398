"""Check the files of a course beyond their syntax, for `grader check`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from grader import compare, explain, grading, recipes
from grader import submission as submissions
from grader.catalog import Course
from grader.errors import Complaint, GraderError, Location
from grader.exception_hints import hint
from grader.model import Answer, Case, Outlook, Problem
from grader.runners import Runner

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Checkup:
    """The result of checking one problem; it is sound if there is no complaint."""

    slug: str
    complaints: tuple[Complaint, ...]
    requirements: int = 0
    cases: int = 0
    published_numbers: int = 0
    """published numbers that the reference rounds to"""


def check(course: Course, slug: str, runner: Runner, *, starters: bool = True) -> Checkup:
    """Check a problem's files, its reference on every case, its published values and starter.

    `starters=False` leaves the solution unread: a learner may have written it.
    """
    complaints: list[Complaint] = []

    def attempt(step: Callable[..., _Result], *arguments: Any) -> _Result | None:
        try:
            return step(*arguments)
        except GraderError as error:
            complaints.extend(error.complaints)
            return None

    problem = attempt(course.load, slug)
    attempt(course.statement, slug)
    if problem is None:
        return Checkup(slug, tuple(complaints))
    complaints += _coverage_complaints(problem)
    complaints += _symmetry_complaints(problem)
    reference = attempt(course.reference, problem)
    attempt(course.misconceptions, problem)
    attempt(course.alternatives, problem)
    prepared = attempt(grading.prepare, problem, reference) if reference else None
    agreed = 0
    if prepared:
        for case in problem.cases:
            if case.published:
                numbers, wrong = _published_complaints(case, problem, prepared.answer(case))
                agreed += numbers
                complaints += wrong
        if starters:
            complaints += _starter_complaints(course, prepared, runner)
    return Checkup(slug, tuple(complaints), len(problem.requirements), len(problem.cases), agreed)


def orphan_complaints(course: Course) -> list[Complaint]:
    """Return a complaint for every file or folder that belongs to no problem."""
    return [
        Complaint(message, Location(path, 1, 1), advice)
        for path, message, advice in course.orphans()
    ]


def rounds_to(value: Any, published: Any, decimals: int) -> bool:
    """Return whether `value` rounded to `decimals` decimals is `published`.

    The difference may be half a unit in the last place, so that a tie may be rounded up or down,
    plus 1e-9 units for the error of binary fractions.
    """
    return bool(abs(value - published) * 10.0**decimals <= 0.5 + 1e-9)


def _coverage_complaints(problem: Problem) -> list[Complaint]:
    return [
        Complaint(
            f"requirement {requirement.id!r} has no case",
            requirement.location,
            advice=f"Add cases/{problem.slug}/{requirement.id}.yaml.",
        )
        for requirement in problem.requirements
        if not problem.cases_of(requirement.id)
    ]


def _symmetry_complaints(problem: Problem) -> list[Complaint]:
    """Return a complaint about each axis of a symmetry that no case has."""
    shapes = [recipes.shapes_of(case.arguments) for case in problem.cases]
    return [
        Complaint(
            f"the symmetry {symmetry.name!r} permutes axis {axis} of {name}, which no case has",
            symmetry.location,
        )
        for symmetry in problem.symmetries
        for name, axis in symmetry.axes
        if not any(-len(s[name]) <= axis < len(s[name]) for s in shapes if name in s)
    ]


def _published_complaints(
    case: Case, problem: Problem, expected: Answer
) -> tuple[int, list[Complaint]]:
    """Return the count of published numbers that the reference rounds to, and the complaints."""
    assert case.published
    agreed, complaints = 0, []
    pairs = zip(problem.returns.values, expected.values, strict=True)
    by_name = {promised.name: value for promised, value in pairs}
    for name, literal in case.published.values.items():
        published, right = np.array(literal), compare.array_of(by_name[name])
        if published.shape != right.shape:
            message = (
                f"case {case.id!r}: the published {name} has the shape {published.shape},"
                f" the reference returns {right.shape}"
            )
            complaints.append(Complaint(message, case.published.location))
            continue
        decimals = case.published.decimals
        wrong = [
            i for i in np.ndindex(right.shape) if not rounds_to(right[i], published[i], decimals)
        ]
        agreed += published.size - len(wrong)
        if wrong:
            where = ", ".join(map(str, wrong[0]))
            message = (
                f"case {case.id!r}: the published {name}[{where}] is {published[wrong[0]]},"
                f" the reference gives {right[wrong[0]]:.{decimals + 4}f}"
                f" ({len(wrong)} of {published.size} numbers disagree)"
            )
            complaints.append(Complaint(message, case.published.location))
    return agreed, complaints


def _starter_complaints(
    course: Course, prepared: grading.PreparedProblem, runner: Runner
) -> list[Complaint]:
    """Complain about a starter that cannot be run, passes or has other parameters."""
    path = course.solution(prepared.problem.slug)
    name = course.shown(path)
    place = Location(name, 1, 1)
    read = submissions.read(path, name)
    report = grading.grade(prepared, read, name, runner)
    if report.refusal:
        refusal = report.refusal
        message = explain.refusal_message(refusal)
        if refusal.line:
            place = Location(name, refusal.line, refusal.column or 1, refusal.text)
        return [Complaint(f"the starter cannot be run: {message}", place, hint(refusal.failure))]
    if report.verdict is Outlook.PASSED:
        return [
            Complaint(
                "the starter passes",
                place,
                advice="Ship a starter that raises NotImplementedError."
                " (If this file is your own solution, ignore this message.)",
            )
        ]
    return _signature_complaints(path.read_bytes(), prepared.problem, name)


def _signature_complaints(source: bytes, problem: Problem, name: str) -> list[Complaint]:
    """Complain if the starter's parameters differ from those of `problem.yaml`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == problem.entry_point:
            given = [argument.arg for argument in node.args.args]
            promised = [parameter.name for parameter in problem.parameters]
            if given != promised:
                message = (
                    f"the starter takes ({', '.join(given)}),"
                    f" problem.yaml says ({', '.join(promised)})"
                )
                return [Complaint(message, Location(name, node.lineno, node.col_offset + 1))]
    return []
