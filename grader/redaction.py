"""A report as the learner may see it: of hidden cases only whether they passed."""

from __future__ import annotations

import math
from dataclasses import replace

from grader.errors import Location
from grader.model import Case, CaseResult, Execution, Report, Verdict

_MESSAGE = "A hidden case is not right."
_WHY = "Hidden: its input is not shown."


def hide(report: Report) -> Report:
    """Return the report without anything that a hidden case could tell but its verdict.

    Inputs, expected values, printed text, exceptions, notes and fine timings go; the verdicts
    and the diagnosis of each requirement stay. A report without hidden cases is returned as it is.
    """
    hidden = {case.id for case in report.problem.cases if case.hidden}
    if not hidden:
        return report
    names = {
        case.id: f"hidden-{number}"
        for number, case in enumerate((c for c in report.problem.cases if c.hidden), 1)
    }
    requirements = tuple(
        replace(
            result,
            cases=tuple(
                _hidden(case, names[case.case.id]) if case.case.id in hidden else case
                for case in result.cases
            ),
        )
        for result in report.requirements
    )
    visible = tuple(case for case in report.problem.cases if case.id not in hidden)
    return replace(
        report,
        problem=replace(report.problem, cases=visible),
        requirements=requirements,
        seconds=_coarse(report.seconds),
    )


def _hidden(result: CaseResult, name: str) -> CaseResult:
    case = Case(
        id=name,
        requirement=result.case.requirement,
        why=_WHY,
        arguments={},
        location=Location(result.case.location.path),
        hidden=True,
    )
    execution = Execution(result.execution.outcome, seconds=_coarse(result.execution.seconds))
    reason = "" if result.verdict is Verdict.PASSED else _MESSAGE
    return CaseResult(case, result.verdict, execution, reason=reason)


def _coarse(seconds: float) -> float:
    """Return whole seconds, rounded up: running time must not carry what an input holds."""
    return float(math.ceil(seconds))
