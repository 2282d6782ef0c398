"""Failed executions and misconceptions to a named misconception. Pure.

A name is given only on equality, never on nearness: on all cases of an unmet requirement the
misconception did what the submission did (the same numbers within the tolerance, the same
exception), and on one of them at least that is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from grader.grading import Exam, is_met, is_red
from grader.likeness import Errors, Likeness, mostly_same_words, same_error, same_type
from grader.model import (
    TOGETHER,
    Case,
    Diagnosis,
    Execution,
    Misconception,
    RequirementResult,
    Run,
    Verdict,
)

Executed = Callable[[Misconception, Case], Execution]
"""What a misconception does on a case; expected to remember."""

UNDECIDED = "Several different mistakes in this step give exactly these numbers."
UNDECIDED_ERRORS = "Several different mistakes in this step end in exactly this error."


def diagnose(
    exam: Exam,
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
    likeness = Likeness(exam, structure_is_right=all(map(is_met, structure)))
    trial = _Trial(exam, likeness, executed, run)
    found: dict[str, Diagnosis] = {}
    for result in results:
        if not is_red(result):
            continue
        red = [c.case for c in result.cases if c.verdict is not Verdict.PASSED]
        green = [c.case for c in result.cases if c.verdict is Verdict.PASSED]
        # The first failing case rules out most, cheaply.
        fitting = [m for m in misconceptions if trial.fits(m, [*red, *green], same_error)]
        if not fitting:
            everywhere = [*red, *exam.problem.cases]
            alike = [m for m in misconceptions if trial.fits(m, everywhere, same_type)]
            fitting = [m for m in alike if trial.mostly_same_words(m)]
        fitting = [m for m in fitting if any(trial.is_wrong(m, case) for case in red)]
        preferred = trial.preferred(fitting)
        here = [m for m in preferred if m.violates == result.requirement.id]
        numbers = any(run.executions[case.id].answer for case in red)
        diagnosis = _named(here or preferred, misconceptions, numbers)
        if diagnosis:
            found[result.requirement.id] = diagnosis
    return found


@dataclass(frozen=True, slots=True)
class _Trial:
    """One submission beside the misconceptions."""

    exam: Exam
    likeness: Likeness
    executed: Executed
    run: Run

    def agrees(self, m: Misconception, case: Case, errors: Errors, whole: bool = False) -> bool:
        """Return whether the misconception does on a case what the submission does."""
        ours, theirs = self.run.executions[case.id], self.executed(m, case)
        return self.likeness.same(case, ours, theirs, errors, whole)

    def fits(self, m: Misconception, cases: Iterable[Case], errors: Errors) -> bool:
        """Return whether they agree on all cases."""
        return all(self.agrees(m, case, errors) for case in cases)

    def is_wrong(self, m: Misconception, case: Case) -> bool:
        """Return whether the misconception itself is wrong on a case."""
        return self.likeness.is_wrong(case, self.executed(m, case))

    def mostly_same_words(self, m: Misconception) -> bool:
        """Return whether most exceptions of the submission and the misconception say the same."""
        return mostly_same_words(
            (self.run.executions[case.id], self.executed(m, case))
            for case in self.exam.problem.cases
        )

    def preferred(self, fitting: Sequence[Misconception]) -> Sequence[Misconception]:
        """Return those that agree on `together`, if any; of them, those that agree on most.

        One agrees on more than another only if it does wherever the other does.
        """
        if len(fitting) < 2:
            return fitting
        together = self.exam.problem.cases_of(TOGETHER)
        fitting = [m for m in fitting if self.fits(m, together, same_error)] or fitting
        agreed = {
            m.id: {
                c.id for c in self.exam.problem.cases if self.agrees(m, c, same_type, whole=True)
            }
            for m in fitting
        }
        most = max(agreed.values(), key=len)
        if not all(cases <= most for cases in agreed.values()):
            return fitting
        return [m for m in fitting if agreed[m.id] == most]


def _named(
    candidates: Sequence[Misconception], known: Collection[Misconception], numbers: bool
) -> Diagnosis | None:
    """Return the one idea that all candidates are, or that they cannot be told apart."""
    ideas = {m.same_as or m.id for m in candidates}
    if len(ideas) == 1:
        return next(Diagnosis(m.id, m.hint) for m in known if m.id in ideas)
    if ideas:
        return Diagnosis("", UNDECIDED if numbers else UNDECIDED_ERRORS)
    return None
