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
from grader.model import Case, CaseResult, Execution, Outcome, Problem, Reason, Report, Verdict

_WHY = "Hidden: its input is not shown."


def hide(report: Report) -> Report:
    """Return the report without the details of hidden cases.

    Inputs, expected values, printed text, exceptions, notes and times are removed; verdicts and
    diagnoses stay. `seconds` becomes the time of the visible calls. A report without hidden cases
    is returned unchanged.
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
        seconds=_visible_seconds(report),
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
    # The outcome says no more than the verdict: a call may choose between a crash and a timeout.
    execution = Execution(_OUTCOMES[result.verdict])
    reason = None if result.verdict is Verdict.PASSED else Reason("hidden")
    return CaseResult(shown[result.case.id], result.verdict, execution, reason=reason)


_OUTCOMES = {
    Verdict.PASSED: Outcome.RETURNED,
    Verdict.FAILED: Outcome.RETURNED,
    Verdict.ERRORED: Outcome.RAISED,
    Verdict.SKIPPED: Outcome.NOT_RUN,
}


def _visible_seconds(report: Report) -> float:
    """Return the time of the visible calls in whole seconds, rounded up.

    The running time of hidden calls may tell their inputs, so it is not part of the time.
    """
    cases = [case for result in report.requirements for case in result.cases]
    return float(math.ceil(sum(c.execution.seconds for c in cases if not c.case.hidden)))
