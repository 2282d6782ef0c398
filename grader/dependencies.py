"""Which requirements are met, which are red, and which wait for another. Pure.

One mistake in an early step disturbs the numbers of all later ones; a requirement that fails while
something that it needs is unmet proves nothing yet, and waits.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.model import CaseResult, Problem, Reason, Requirement, RequirementResult, Verdict


def is_met(result: RequirementResult) -> bool:
    """Return whether all the requirement's cases passed."""
    return result.verdict is Verdict.PASSED


def is_red(result: RequirementResult) -> bool:
    """Return whether the requirement is news for the learner: wrong, and not merely waiting."""
    return result.verdict in (Verdict.FAILED, Verdict.ERRORED)


def let_wait(
    problem: Problem, results: Mapping[str, RequirementResult]
) -> tuple[RequirementResult, ...]:
    """Turn what is wrong, but needs something that is unmet, into what waits for it."""
    blockers = {r.id: _blockers(problem, r, results) for r in problem.requirements}
    settled = []
    for requirement in problem.requirements:
        result = results[requirement.id]
        unmet = blockers[requirement.id]
        if not is_met(result) and unmet:
            # Name what the learner can work on now: what is red and waits for nothing itself.
            ready = [id for id in unmet if is_red(results[id]) and not blockers[id]]
            result = _waiting(result, tuple(ready or unmet))
        settled.append(result)
    return tuple(settled)


def _blockers(
    problem: Problem, requirement: Requirement, results: Mapping[str, RequirementResult]
) -> list[str]:
    """Return the unmet requirements that one needs, directly or through others.

    A requirement that was skipped because nothing of the right structure came back waits for the
    requirement about structure, which itself waits only for what is red: not for those that are
    skipped on its account. It waits for nothing when something else than promised came back.
    """
    if requirement.checks == "structure" and _has_another_kind(results[requirement.id]):
        return []
    needs = {r.id: r.needs for r in problem.requirements}
    needed: set[str] = set()
    open_ids = list(requirement.needs)
    while open_ids:
        need = open_ids.pop()
        if need not in needed:
            needed.add(need)
            open_ids += needs[need]
    if requirement.checks == "structure":
        unmet = {id for id in needed if is_red(results[id])}
    else:
        unmet = {id for id in needed if not is_met(results[id])}
        if any(results[id].verdict is Verdict.SKIPPED for id in {requirement.id, *needed}):
            structure = [r.id for r in problem.requirements if r.checks == "structure"]
            unmet |= {id for id in structure if is_red(results[id])}
    return [r.id for r in problem.requirements if r.id in unmet]


_ANOTHER_KIND = ("kind", "count", "names", "array_like")


def _has_another_kind(result: RequirementResult) -> bool:
    return any(case.mismatch and case.mismatch.kind in _ANOTHER_KIND for case in result.cases)


def _waiting(result: RequirementResult, waits_for: tuple[str, ...]) -> RequirementResult:
    reason = Reason("waits", waits_for)
    cases = tuple(
        case
        if case.verdict in (Verdict.PASSED, Verdict.SKIPPED)
        else CaseResult(case.case, Verdict.SKIPPED, case.execution, reason=reason)
        for case in result.cases
    )
    return RequirementResult(result.requirement, Verdict.SKIPPED, cases, waits_for)
