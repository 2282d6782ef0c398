"""Name the misconception that explains the failed executions of a submission. Pure.

A misconception is named only if it is equal to the submission, never if it is merely close: on
all cases of an unmet requirement both returned the same numbers within the tolerance or raised
the same exception, and at least one of these cases rejects the misconception.

Cases that isolate a requirement say little about other steps, so an unlisted mistake can equal a
listed one on them. The misconception must therefore also explain all other cases: alone, or
together with a second misconception that the cases of the second one's requirement show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from grader.dependencies import is_met, is_red
from grader.equivalence import (
    Errors,
    Likeness,
    Scope,
    is_finite,
    mostly_same_messages,
    same_error,
    same_type,
)
from grader.grading import PreparedProblem
from grader.model import (
    TOGETHER,
    Case,
    Diagnosis,
    Execution,
    Misconception,
    Requirement,
    RequirementResult,
    Run,
    Verdict,
)

Execute = Callable[[Misconception, Case], Execution]
"""Returns the execution of a misconception on a case; called repeatedly, so it should cache."""

UNDECIDED = "Several different mistakes in this step give exactly these numbers."
UNDECIDED_ERRORS = "Several different mistakes in this step end in exactly this error."


def diagnose(
    prepared: PreparedProblem,
    misconceptions: Sequence[Misconception],
    execute: Execute,
    run: Run,
    results: Sequence[RequirementResult],
) -> dict[str, Diagnosis]:
    """Return the diagnosis of each red requirement that has one, by id of the requirement.

    Exceptions are compared by type and message. Messages depend on style (`@`, `einsum`, a loop).
    If no misconception has the same messages, a misconception fits that raises the same types on
    the same cases of the whole problem, returns the same numbers on all others, and has messages
    of the same kind on most cases.
    """
    structure = [r for r in results if r.requirement.checks == "structure"]
    likeness = Likeness(prepared, structure_is_right=all(map(is_met, structure)))
    trial = _Trial(prepared, likeness, misconceptions, execute, run)
    diagnoses: dict[str, Diagnosis] = {}
    for result in results:
        if not is_red(result):
            continue
        red = [c.case for c in result.cases if c.verdict is not Verdict.PASSED]
        green = [c.case for c in result.cases if c.verdict is Verdict.PASSED]
        # Failing cases first: the first one rules out most misconceptions.
        fitting = [m for m in misconceptions if trial.fits(m, [*red, *green], same_error)]
        if not fitting:
            everywhere = [*red, *prepared.problem.cases]
            alike = [m for m in misconceptions if trial.fits(m, everywhere, same_type)]
            fitting = [m for m in alike if trial.has_mostly_same_messages(m)]
        fitting = [m for m in fitting if any(trial.is_wrong(m, case) for case in red)]
        fitting = [m for m in fitting if trial.explains_all(m, result.requirement)]
        preferred = trial.preferred(fitting)
        own = [m for m in preferred if m.violates == result.requirement.id]
        has_answer = any(run.executions[case.id].answer for case in red)
        diagnosis = _diagnosis(own or preferred, misconceptions, has_answer)
        if diagnosis:
            diagnoses[result.requirement.id] = diagnosis
    return diagnoses


@dataclass(slots=True)
class _Trial:
    """Compares one submission with the misconceptions."""

    prepared: PreparedProblem
    likeness: Likeness
    misconceptions: Sequence[Misconception]
    execute: Execute
    run: Run
    _wrong: dict[tuple[str, str], bool] = field(default_factory=dict)

    def agrees(self, m: Misconception, case: Case, errors: Errors, scope: Scope = "judged") -> bool:
        """Return whether the executions of `m` and the submission on a case are the same."""
        ours, theirs = self.run.executions[case.id], self.execute(m, case)
        return self.likeness.same(case, ours, theirs, errors, scope)

    def fits(self, m: Misconception, cases: Iterable[Case], errors: Errors) -> bool:
        """Return whether `m` and the submission agree on all `cases`."""
        return all(self.agrees(m, case, errors) for case in cases)

    def is_wrong(self, m: Misconception | None, case: Case) -> bool:
        """Return whether a case rejects the misconception, or the submission if `m` is None."""
        key = (m.id if m else "", case.id)
        if key not in self._wrong:
            execution = self.execute(m, case) if m else self.run.executions[case.id]
            self._wrong[key] = self.likeness.is_wrong(case, execution)
        return self._wrong[key]

    def has_mostly_same_messages(self, m: Misconception) -> bool:
        """Return whether most pairs of exceptions have messages of the same kind."""
        return mostly_same_messages(
            (self.run.executions[case.id], self.execute(m, case))
            for case in self.prepared.problem.cases
        )

    def explains_all(self, m: Misconception, requirement: Requirement) -> bool:
        """Return whether `m` explains all cases, alone or together with one other misconception.

        For a structure requirement, compare structure only.
        """
        scope: Scope = "structure" if requirement.checks == "structure" else "judged"
        if not any(self._contradicts(m, case, scope) for case in self.prepared.problem.cases):
            return True
        return any(
            self._explains_with(m, other)
            for other in self.misconceptions
            if other.violates != requirement.id and _group(other) != _group(m)
        )

    def _contradicts(self, m: Misconception, case: Case, scope: Scope = "judged") -> bool:
        """Return whether both returned an answer and the answers differ.

        A case where `m` raises or returns NaN contradicts nothing, since the result then depends
        on style: a row whose keys are all masked is NaN with one fill value, uniform with another.
        """
        ours, theirs = self.run.executions[case.id], self.execute(m, case)
        if not (ours.answer and theirs.answer) or not is_finite(theirs.answer):
            return False
        return not self.agrees(m, case, same_error, scope)

    def _explains_with(self, m: Misconception, other: Misconception) -> bool:
        """Return whether `m` and `other` together explain every case.

        On the cases of the other's requirement that `m` passes, the submission must agree with
        `other` and be wrong at least once. A case that rejects both misconceptions is ignored; on
        a case that rejects neither, the submission must be right.
        """
        own = [c for c in self.prepared.problem.cases_of(other.violates) if not self.is_wrong(m, c)]
        if not any(self.is_wrong(None, case) for case in own):
            return False
        if not self.fits(other, own, same_type):
            return False
        for case in self.prepared.problem.cases:
            first, second = self.is_wrong(m, case), self.is_wrong(other, case)
            if first and not second and self._contradicts(m, case):
                return False
            if second and not first and not self.agrees(other, case, same_type):
                return False
            if not first and not second and self.is_wrong(None, case):
                return False
        return True

    def preferred(self, fitting: Sequence[Misconception]) -> Sequence[Misconception]:
        """Return the misconceptions that agree with the submission on the most cases.

        If any agree on all cases of `together`, only they are considered. One agrees on more
        cases than another only if its cases include all of the other's; else return all.
        """
        if len(fitting) < 2:
            return fitting
        together = self.prepared.problem.cases_of(TOGETHER)
        fitting = [m for m in fitting if self.fits(m, together, same_error)] or fitting
        agreed = {
            m.id: {
                c.id for c in self.prepared.problem.cases if self.agrees(m, c, same_type, "whole")
            }
            for m in fitting
        }
        most = max(agreed.values(), key=len)
        if not all(cases <= most for cases in agreed.values()):
            return fitting
        return [m for m in fitting if agreed[m.id] == most]


def _group(m: Misconception) -> str:
    """Return the id that stands for all misconceptions declared the same as `m`."""
    return m.same_as or m.id


def _diagnosis(
    candidates: Sequence[Misconception], known: Sequence[Misconception], has_answer: bool
) -> Diagnosis | None:
    """Return the misconception that all candidates are the same as, or an undecided diagnosis."""
    groups = {_group(m) for m in candidates}
    if len(groups) == 1:
        return next(Diagnosis(m.id, m.hint) for m in known if m.id in groups)
    if groups:
        return Diagnosis("", UNDECIDED if has_answer else UNDECIDED_ERRORS)
    return None
