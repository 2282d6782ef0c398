"""Remove the details of hidden cases from reports; learners see only the verdicts of such cases.

`grader.pipeline` redacts each report that it returns and `grader.batch.database` each report that
it reads, unless `reveal` is set. Their callers need not redact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import count

from grader.errors import Location
from grader.model import Case, CaseResult, Execution, Problem, Reason, Report, Verdict

_WHY = "Hidden: its input is not shown."


def hide(report: Report) -> Report:
    """Return the report without the details of hidden cases.

    Inputs, expected values, printed text, exceptions, notes and exact times are removed; verdicts
    and diagnoses stay. A report without hidden cases is returned unchanged.
    """
    if not any(case.hidden for case in report.problem.cases):
        return report
    shown = shown_cases(report.problem)
    requirements = tuple(
        replace(result, cases=tuple(_shown_result(case, shown) for case in result.cases))
        for result in report.requirements
    )
    visible = tuple(case for case in report.problem.cases if not case.hidden)
    return replace(
        report,
        problem=replace(report.problem, cases=visible),
        requirements=requirements,
        seconds=_coarse(report.seconds),
    )


def shown_cases(problem: Problem) -> dict[str, Case]:
    """Return each case as shown to learners, by its author's id.

    A hidden case keeps its requirement and its file; its id becomes a unique `hidden-N`.
    """
    taken = {case.id for case in problem.cases if not case.hidden}
    names = (name for number in count(1) if (name := f"hidden-{number}") not in taken)
    return {
        case.id: _shown_case(case, next(names)) if case.hidden else case for case in problem.cases
    }


def _shown_case(case: Case, name: str) -> Case:
    return Case(
        id=name,
        requirement=case.requirement,
        why=_WHY,
        arguments={},
        location=Location(case.location.path),
        hidden=True,
    )


def _shown_result(result: CaseResult, shown: Mapping[str, Case]) -> CaseResult:
    if not result.case.hidden:
        return result
    execution = Execution(result.execution.outcome, seconds=_coarse(result.execution.seconds))
    reason = None if result.verdict is Verdict.PASSED else Reason("hidden")
    return CaseResult(shown[result.case.id], result.verdict, execution, reason=reason)


def _coarse(seconds: float) -> float:
    """Return whole seconds, rounded up, so that running time does not leak hidden inputs."""
    return float(math.ceil(seconds))
