"""Failed executions and misconceptions to a named misconception. Pure.

A name is given only on equality, never on nearness: on all cases of an unmet requirement the
misconception did what the submission did (the same numbers within the tolerance, the same
exception), and on one of them at least that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from grader import compare
from grader.grading import Exam, is_red
from grader.model import (
    TOGETHER,
    Answer,
    Case,
    Diagnosis,
    Execution,
    Misconception,
    Outcome,
    RequirementResult,
    Returns,
    Run,
    Tolerance,
    Verdict,
)

Executed = Callable[[Misconception, Case], Execution]
"""What a misconception does on a case; expected to remember."""

UNDECIDED = "Several different mistakes in this step give exactly these numbers."


def diagnose(
    exam: Exam,
    misconceptions: Sequence[Misconception],
    executed: Executed,
    run: Run,
    results: Sequence[RequirementResult],
) -> dict[str, Diagnosis]:
    """Return a diagnosis for every unmet requirement whose numbers betray one, by id.

    Of several that fit a requirement's cases, those that fit every case are preferred, then
    those that fit the general cases of `together`, then those that violate this requirement.
    When what remains cannot be told apart, none is named.
    """
    problem = exam.problem

    def fits(misconception: Misconception, cases: Iterable[Case]) -> bool:
        return all(
            same(
                run.executions[case.id],
                executed(misconception, case),
                problem.returns,
                problem.tolerance_of(case),
            )
            for case in cases
        )

    found: dict[str, Diagnosis] = {}
    for result in results:
        if not is_red(result):
            continue
        cases = [case.case for case in result.cases]
        # The first failing case rules out most, cheaply.
        cases.sort(key=lambda case: _is_passed(result, case))
        candidates = [m for m in misconceptions if fits(m, cases)]
        for preferred in (problem.cases, problem.cases_of(TOGETHER)):
            candidates = [m for m in candidates if fits(m, preferred)] or candidates
        here = [m for m in candidates if m.violates == result.requirement.id]
        diagnosis = _named(here or candidates)
        if diagnosis:
            found[result.requirement.id] = diagnosis
    return found


def same(ours: Execution, theirs: Execution, returns: Returns, tolerance: Tolerance) -> bool:
    """Return whether two executions are the same: equal numbers, or the same exception.

    `theirs` scales the tolerance. Element types count where they are promised.
    """
    if ours.outcome is not theirs.outcome:
        return False
    if ours.answer and theirs.answer:
        return _same_answers(ours.answer, theirs.answer, returns, tolerance)
    if ours.outcome is Outcome.RAISED and ours.failure and theirs.failure:
        return (ours.failure.type_name, ours.failure.message) == (
            theirs.failure.type_name,
            theirs.failure.message,
        )
    return False


def _same_answers(ours: Answer, theirs: Answer, returns: Returns, tolerance: Tolerance) -> bool:
    if (ours.container, ours.names, len(ours.values)) != (
        theirs.container,
        theirs.names,
        len(theirs.values),
    ):
        return False
    promised = any(value.dtype for value in returns.values)
    for mine, yours in zip(ours.values, theirs.values, strict=True):
        if promised and (mine.type_name, mine.dtype) != (yours.type_name, yours.dtype):
            return False
        if mine.array is None or yours.array is None:
            if mine.array is not yours.array or mine.why_not != yours.why_not:
                return False
        elif compare.excess(mine.array, yours.array, tolerance) > 1:
            return False
    return True


def _is_passed(result: RequirementResult, case: Case) -> bool:
    return any(c.case is case and c.verdict is Verdict.PASSED for c in result.cases)


def _named(candidates: Sequence[Misconception]) -> Diagnosis | None:
    """Return the one idea that all candidates are, or that they cannot be told apart."""
    if not candidates:
        return None
    by_id: Mapping[str, Misconception] = {m.id: m for m in candidates}
    ideas = {m.same_as if m.same_as and m.same_as in by_id else m.id for m in candidates}
    if len(ideas) == 1:
        (id,) = ideas
        return Diagnosis(id, by_id[id].hint)
    return Diagnosis("", UNDECIDED)
