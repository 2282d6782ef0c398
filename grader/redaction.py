"""Remove the details of hidden cases from reports; learners see only the verdicts of such cases.

`grader.pipeline` redacts each report that it returns and `grader.batch.database` each report that
it reads, unless `reveal` is set. Their callers need not redact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count

from grader.errors import Location
from grader.model import (
    Case,
    CaseResult,
    Execution,
    Outcome,
    Outlook,
    Problem,
    Reason,
    Report,
    RequirementResult,
    Verdict,
)

_WHY = "Hidden: its input is not shown."


def hide(report: Report) -> Report:
    """Return the report without the details of hidden cases.

    Inputs, expected values, printed text, exceptions, notes and times are removed; diagnoses stay.
    Of a hidden case that was judged, only whether it passed is left: a file could choose between an
    exception, a hang and a wrong answer by the arguments, and tell more of them so. `seconds`
    becomes the time of the visible calls. A report without hidden cases is returned unchanged.
    """
    if not any(case.hidden for case in report.problem.cases):
        return report
    shown = shown_cases(report.problem)
    requirements = tuple(_shown_requirement(result, shown) for result in report.requirements)
    visible = tuple(case for case in report.problem.cases if not case.hidden)
    return replace(
        report,
        problem=replace(report.problem, cases=visible),
        requirements=requirements,
        verdict=_shown_outlook(report, requirements),
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


def _shown_requirement(result: RequirementResult, shown: Mapping[str, Case]) -> RequirementResult:
    if not any(case.case.hidden for case in result.cases):
        return result
    others = [case.verdict for case in result.cases if not case.case.hidden]
    waits = bool(result.waits_for) or Verdict.SKIPPED in others
    cases = tuple(_shown_result(case, shown, waits) for case in result.cases)
    verdict = max((case.verdict for case in cases), key=lambda verdict: verdict.badness)
    return replace(result, cases=cases, verdict=verdict)


def _shown_result(result: CaseResult, shown: Mapping[str, Case], waits: bool) -> CaseResult:
    if not result.case.hidden:
        return result
    case = shown[result.case.id]
    if result.verdict is Verdict.PASSED:
        return CaseResult(case, Verdict.PASSED, Execution(Outcome.RETURNED))
    if result.verdict is Verdict.SKIPPED and waits:
        execution = Execution(Outcome.NOT_RUN)
        return CaseResult(case, Verdict.SKIPPED, execution, reason=Reason("hidden"))
    execution = Execution(Outcome.RETURNED)
    return CaseResult(case, Verdict.FAILED, execution, reason=Reason("hidden"))


def _shown_outlook(report: Report, requirements: Iterable[RequirementResult]) -> Outlook:
    if report.refusal or report.verdict is not Outlook.ERRORED:
        return report.verdict
    erred = any(r.verdict is Verdict.ERRORED and not r.requirement.bonus for r in requirements)
    return Outlook.ERRORED if erred else Outlook.FAILED


def _visible_seconds(report: Report) -> float:
    """Return the time of the visible calls in whole seconds, rounded up.

    The running time of hidden calls may tell their inputs, so it is not part of the time.
    """
    cases = [case for result in report.requirements for case in result.cases]
    return float(math.ceil(sum(c.execution.seconds for c in cases if not c.case.hidden)))
