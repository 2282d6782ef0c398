"""What the database gives back: a class, learner by learner, and what it was graded with."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model import Problem


@dataclass(frozen=True, slots=True)
class Exam:
    """One state of an exercise, as results refer to it."""

    key: str
    problem_hash: str
    cases_hash: str
    grader: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class Row:
    """One learner and exercise, with the result if there is one.

    `verdict` is the report's, or `missing` (nothing that could be graded) or `waiting` (not
    graded yet). `requirements` holds id, verdict and misconception (or '') of each.
    """

    learner: str
    problem: str
    id: str
    name: str
    email: str
    file: str
    note: str
    exam: str
    verdict: str
    earned: str
    possible: str
    requirements: tuple[tuple[str, str, str], ...]
    result: str | None
