"""Failed executions and misconceptions to a named misconception. Pure.

A name is given only on equality, never on nearness: on all cases of an unmet requirement the
misconception did what the submission did (the same numbers within the tolerance, the same
exception), and on one of them at least that is wrong.

Cases that isolate a requirement tell little about the rest, so a mistake that nobody listed can
equal a listed one there. Therefore the name must also account for all other cases: alone, or
together with one more misconception that the cases of its own requirement betray.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from grader.dependencies import is_met, is_red
from grader.equivalence import (
    Errors,
    Likeness,
    Look,
    is_finite,
    mostly_same_words,
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

Executed = Callable[[Misconception, Case], Execution]
"""What a misconception does on a case; expected to remember."""

UNDECIDED = "Several different mistakes in this step give exactly these numbers."
UNDECIDED_ERRORS = "Several different mistakes in this step end in exactly this error."


def diagnose(
    prepared: PreparedProblem,
    misconceptions: Sequence[Misconception],
    executed: Executed,
    run: Run,
    results: Sequence[RequirementResult],
) -> dict[str, Diagnosis]:
    """Return a diagnosis for every unmet requirement whose numbers betray one, by id.

    An exception is recognised by its words. Words depend on style (`@`, `einsum`, a loop), so
    where no misconception has the same, one is enough that agrees on *every* case of the problem
    (raises the same type on the same cases, and gives the same numbers on the others) and has the
    same kind of message on most.
    """
    structure = [r for r in results if r.requirement.checks == "structure"]
    likeness = Likeness(prepared, structure_is_right=all(map(is_met, structure)))
    trial = _Trial(prepared, likeness, misconceptions, executed, run)
    found: dict[str, Diagnosis] = {}
    for result in results:
        if not is_red(result):
            continue
        red = [c.case for c in result.cases if c.verdict is not Verdict.PASSED]
        green = [c.case for c in result.cases if c.verdict is Verdict.PASSED]
        # The first failing case rules out most, cheaply.
        fitting = [m for m in misconceptions if trial.fits(m, [*red, *green], same_error)]
        if not fitting:
            everywhere = [*red, *prepared.problem.cases]
            alike = [m for m in misconceptions if trial.fits(m, everywhere, same_type)]
            fitting = [m for m in alike if trial.has_mostly_same_words(m)]
        fitting = [m for m in fitting if any(trial.is_wrong(m, case) for case in red)]
        fitting = [m for m in fitting if trial.accounts_for_all(m, result.requirement)]
        preferred = trial.preferred(fitting)
        here = [m for m in preferred if m.violates == result.requirement.id]
        numbers = any(run.executions[case.id].answer for case in red)
        diagnosis = _named(here or preferred, misconceptions, numbers)
        if diagnosis:
            found[result.requirement.id] = diagnosis
    return found


@dataclass(slots=True)
class _Trial:
    """One submission beside the misconceptions."""

    prepared: PreparedProblem
    likeness: Likeness
    misconceptions: Sequence[Misconception]
    executed: Executed
    run: Run
    _wrong: dict[tuple[str, str], bool] = field(default_factory=dict)

    def agrees(self, m: Misconception, case: Case, errors: Errors, look: Look = "judged") -> bool:
        """Return whether the misconception does on a case what the submission does."""
        ours, theirs = self.run.executions[case.id], self.executed(m, case)
        return self.likeness.same(case, ours, theirs, errors, look)

    def fits(self, m: Misconception, cases: Iterable[Case], errors: Errors) -> bool:
        """Return whether they agree on all cases."""
        return all(self.agrees(m, case, errors) for case in cases)

    def is_wrong(self, m: Misconception | None, case: Case) -> bool:
        """Return whether the misconception, or the submission for None, is wrong on a case."""
        key = (m.id if m else "", case.id)
        if key not in self._wrong:
            execution = self.executed(m, case) if m else self.run.executions[case.id]
            self._wrong[key] = self.likeness.is_wrong(case, execution)
        return self._wrong[key]

    def has_mostly_same_words(self, m: Misconception) -> bool:
        """Return whether most exceptions of the submission and the misconception say the same."""
        return mostly_same_words(
            (self.run.executions[case.id], self.executed(m, case))
            for case in self.prepared.problem.cases
        )

    def accounts_for_all(self, m: Misconception, requirement: Requirement) -> bool:
        """Return whether nothing contradicts `m`, alone or with a mistake elsewhere.

        What a requirement of structure is told by, only structure can contradict.
        """
        look: Look = "structure" if requirement.checks == "structure" else "judged"
        if not any(self._contradicts(m, case, look) for case in self.prepared.problem.cases):
            return True
        return any(
            self._account_together(m, other)
            for other in self.misconceptions
            if other.violates != requirement.id and _idea(other) != _idea(m)
        )

    def _contradicts(self, m: Misconception, case: Case, look: Look = "judged") -> bool:
        """Return whether both returned numbers, and others.

        Where a mistake crashes, or leads to NaN, what happens depends on style: a row whose keys
        are all blocked is NaN with one fill and even with another.
        """
        ours, theirs = self.run.executions[case.id], self.executed(m, case)
        if not (ours.answer and theirs.answer) or not is_finite(theirs.answer):
            return False
        return not self.agrees(m, case, same_error, look)

    def _account_together(self, m: Misconception, other: Misconception) -> bool:
        """Return whether two mistakes explain every case.

        The other must show where only it can: on those cases of its requirement that `m` passes.
        A case that rejects both says nothing; one that rejects neither must be right.
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
        """Return those that agree on `together`, if any; of them, those that agree on most.

        One agrees on more than another only if it does wherever the other does.
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


def _idea(m: Misconception) -> str:
    return m.same_as or m.id


def _named(
    candidates: Sequence[Misconception], known: Sequence[Misconception], numbers: bool
) -> Diagnosis | None:
    """Return the one idea that all candidates are, or that they cannot be told apart."""
    ideas = {_idea(m) for m in candidates}
    if len(ideas) == 1:
        return next(Diagnosis(m.id, m.hint) for m in known if m.id in ideas)
    if ideas:
        return Diagnosis("", UNDECIDED if numbers else UNDECIDED_ERRORS)
    return None
