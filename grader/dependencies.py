"""Decide which requirements are met, which are red, and which wait for others. Pure.

A mistake in an early step changes the numbers of all later steps. An unmet requirement that needs
another unmet requirement therefore proves nothing; it is skipped and waits for the other.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.model import CaseResult, Problem, Reason, Requirement, RequirementResult, Verdict


def is_met(result: RequirementResult) -> bool:
    """Return whether all cases of the requirement passed."""
    return result.verdict is Verdict.PASSED


def is_red(result: RequirementResult) -> bool:
    """Return whether the requirement is unmet and does not wait for another."""
    return result.verdict in (Verdict.FAILED, Verdict.ERRORED)


def skip_waiting(
    problem: Problem, results: Mapping[str, RequirementResult]
) -> tuple[RequirementResult, ...]:
    """Return the results in the problem's order, with those that wait for others skipped.

    `results` has the result of each requirement judged alone, by id. If one of them is red, one of
    the returned ones is: a submission that fails shows why.
    """
    unmet_needs = {r.id: _unmet_needs(problem, r, results) for r in problem.requirements}
    final = {}
    for requirement in problem.requirements:
        result = results[requirement.id]
        unmet = unmet_needs[requirement.id]
        if not is_met(result) and unmet:
            # Name the requirements that the learner can work on now: red ones that do not wait.
            ready = [id for id in unmet if is_red(results[id]) and not unmet_needs[id]]
            result = _skipped(result, tuple(ready or unmet))
        final[requirement.id] = result
    if not any(map(is_red, final.values())):
        # All wait: for some that were not run, or the structure requirement and others in turn.
        waiting = [r for r in problem.requirements if is_red(results[r.id])]
        for shown in sorted(waiting, key=lambda r: r.checks != "structure")[:1]:
            final[shown.id] = results[shown.id]
    return tuple(final.values())


def _unmet_needs(
    problem: Problem, requirement: Requirement, results: Mapping[str, RequirementResult]
) -> list[str]:
    """Return the unmet requirements that `requirement` needs, directly or through others.

    A requirement that was skipped because a value that proves it has a wrong structure also needs
    the structure requirement. The structure requirement waits only for red requirements, not for
    those skipped because of it; if the answer is of another kind than promised, it does not wait.
    While it waits, a red requirement does not wait for those skipped because of it.
    """
    if requirement.checks == "structure" and _has_wrong_kind(results[requirement.id]):
        return []
    needs = {r.id: r.needs for r in problem.requirements}
    needed: set[str] = set()
    to_visit = list(requirement.needs)
    while to_visit:
        need = to_visit.pop()
        if need not in needed:
            needed.add(need)
            to_visit += needs[need]
    if requirement.checks == "structure":
        unmet = {id for id in needed if is_red(results[id])}
    else:
        unmet = {id for id in needed if not is_met(results[id])}
        if any(results[id].verdict is Verdict.SKIPPED for id in {requirement.id, *needed}):
            structure = [r for r in problem.requirements if r.checks == "structure"]
            causes = {id for r in structure for id in _unmet_needs(problem, r, results)}
            if causes and is_red(results[requirement.id]):
                unmet -= {id for id in unmet if _lacks_values(results[id])}
            else:
                unmet |= causes | {r.id for r in structure if is_red(results[r.id])}
    return [r.id for r in problem.requirements if r.id in unmet]


_WRONG_KIND = ("kind", "count", "names", "array_like")


def _has_wrong_kind(result: RequirementResult) -> bool:
    return any(case.mismatch and case.mismatch.kind in _WRONG_KIND for case in result.cases)


def _lacks_values(result: RequirementResult) -> bool:
    """Return whether the requirement was skipped only because of the structure of its values."""
    skipped = [case for case in result.cases if case.verdict is Verdict.SKIPPED]
    return result.verdict is Verdict.SKIPPED and all(
        case.reason is not None and case.reason.values for case in skipped
    )


def _skipped(result: RequirementResult, waits_for: tuple[str, ...]) -> RequirementResult:
    reason = Reason("waits", waits_for)
    cases = tuple(
        case
        if case.verdict in (Verdict.PASSED, Verdict.SKIPPED)
        else CaseResult(case.case, Verdict.SKIPPED, case.execution, reason=reason)
        for case in result.cases
    )
    return RequirementResult(result.requirement, Verdict.SKIPPED, cases, waits_for)
