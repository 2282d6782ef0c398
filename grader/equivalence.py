"""Decide whether two executions of a case are the same. Pure; for `diagnose` and `audit`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from grader import compare
from grader.compare import Array
from grader.grading import PreparedProblem
from grader.model import (
    Answer,
    Case,
    Checks,
    Execution,
    Failure,
    Outcome,
    Returns,
    Tolerance,
    Value,
)

Errors = Callable[[Failure, Failure], bool]
"""Returns whether two exceptions count as the same."""

Scope = Literal["judged", "structure", "whole"]
"""Values to compare: those that the case judges, those of wrong structure, or all."""


def same_error(ours: Failure, theirs: Failure) -> bool:
    """Return whether type and message are the same."""
    return (ours.type_name, ours.message) == (theirs.type_name, theirs.message)


def same_type(ours: Failure, theirs: Failure) -> bool:
    """Return whether the types are the same; ignore the messages."""
    return ours.type_name == theirs.type_name


def mostly_same_messages(pairs: Iterable[tuple[Execution, Execution]]) -> bool:
    """Return whether most pairs of exceptions have messages of the same kind.

    Pairs with an execution that did not raise are ignored; without a pair, return False.
    """
    same = [
        _same_message(ours.failure, theirs.failure)
        for ours, theirs in pairs
        if ours.failure and theirs.failure
    ]
    return 2 * sum(same) > len(same)


def is_finite(answer: Answer) -> bool:
    """Return whether the answer contains neither NaN nor infinity."""
    return all(value.array is None or np.isfinite(value.array).all() for value in answer.values)


_MISFIT = re.compile(r"matmul: Input operand|shapes \(|operands could not be broadcast")
"""NumPy's messages for lengths that do not fit: `@`; `dot`; `einsum` and operators"""


_RESHAPE = re.compile(r"cannot reshape array of size (\d+)")


def _same_message(ours: Failure, theirs: Failure) -> bool:
    """Return whether two messages report the same mistake in different styles.

    Two styles reshape to different lengths (one axis may be -1), and a loop reshapes an equal
    part of the array instead of the whole. The messages of assertions are ignored.
    """
    mine, yours = _RESHAPE.match(ours.message), _RESHAPE.match(theirs.message)
    if mine and yours:
        small, large = sorted((int(mine[1]), int(yours[1])))
        return small > 0 and large % small == 0
    return _message_kind(ours) == _message_kind(theirs)


def _message_kind(failure: Failure) -> str:
    if failure.type_name == "AssertionError":
        return ""
    if _MISFIT.match(failure.message):
        return "lengths do not fit"
    return re.split(r"[(\[]", failure.message)[0]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Compares two executions in the values that the requirement of their case judges.

    `structure_is_right` says whether all of the submission's structure is right. If not, only the
    values whose structure is right are judged, and only they are compared.
    """

    prepared: PreparedProblem
    structure_is_right: bool

    def same(
        self,
        case: Case,
        ours: Execution,
        theirs: Execution,
        errors: Errors,
        scope: Scope,
    ) -> bool:
        """Return whether both returned the same numbers or raised the same exception.

        `theirs` scales the tolerance. If the case judges structure, all values of the right
        structure count as the same; if it judges element types, these must be the same too.
        """
        if ours.outcome is not theirs.outcome:
            return False
        if ours.failure and theirs.failure and ours.outcome is Outcome.RAISED:
            return errors(ours.failure, theirs.failure)
        if ours.answer is None or theirs.answer is None:
            return False
        if scope == "judged" and self._checks(case) == "structure":
            scope = "structure"
        return self._same_answers(case, ours.answer, theirs.answer, scope)

    def _checks(self, case: Case) -> Checks:
        return self.prepared.problem.requirement(case.requirement).checks

    def _same_answers(self, case: Case, ours: Answer, theirs: Answer, scope: Scope) -> bool:
        judged = list(zip(ours.values, theirs.values, strict=False))
        if scope == "structure" or (scope == "judged" and not self.structure_is_right):
            returns, expected = self.prepared.problem.returns, self.prepared.answer(case)
            right = compare.structure(ours, returns, expected).values
            theirs_right = compare.structure(theirs, returns, expected).values
            if scope == "judged" and any(right):
                pairs = zip(right, theirs_right, strict=True)
                return all(
                    y is not None and self._equal(case, m, y) for m, y in pairs if m is not None
                )
            if scope == "structure":
                judged = [(m, y) for m, y in judged if m not in right or y not in theirs_right]
        return _same_layout(ours, theirs) and all(self._equal(case, m, y) for m, y in judged)

    def _equal(self, case: Case, mine: Value, yours: Value) -> bool:
        kinds = [(value.type_name, value.dtype) for value in (mine, yours)]
        if self._checks(case) == "dtype" and kinds[0] != kinds[1]:
            return False
        if mine.array is None or yours.array is None:
            return mine.array is yours.array and mine.why_not == yours.why_not
        problem = self.prepared.problem
        return _equal(mine.array, yours.array, problem.tolerance_of(case), problem.tolerance)

    def is_wrong(self, case: Case, execution: Execution) -> bool:
        """Return whether the case rejects an execution, by the values that can be judged."""
        if execution.answer is None:
            return True
        problem, expected = self.prepared.problem, self.prepared.answer(case)
        checks = self._checks(case)
        compared = compare.structure(execution.answer, problem.returns, expected)
        if compared.mismatch and (self.structure_is_right or checks == "structure"):
            return True
        if checks == "structure":
            return False
        tolerance = problem.tolerance_of(case)
        if any(
            value
            and value.array is not None
            and compare.excess(value.array, compare.array_of(right), tolerance) > 1
            for value, right in zip(compared.values, expected.values, strict=True)
        ):
            return True
        # `compare.values` is slower, since it describes a mismatch: use it for element types only.
        return checks == "dtype" and bool(
            compare.values(compared, problem.returns, expected, tolerance, checks)
        )


def same(ours: Execution, theirs: Execution, returns: Returns, tolerance: Tolerance) -> bool:
    """Return whether two executions returned the same values or raised the same exception.

    `theirs` scales the tolerance. Element types are compared if any is promised.
    """
    if ours.outcome is not theirs.outcome:
        return False
    if ours.failure and theirs.failure and ours.outcome is Outcome.RAISED:
        return same_error(ours.failure, theirs.failure)
    if ours.answer is None or theirs.answer is None:
        return False
    if not _same_layout(ours.answer, theirs.answer):
        return False
    promised = any(value.dtype for value in returns.values)
    for mine, yours in zip(ours.answer.values, theirs.answer.values, strict=True):
        if promised and (mine.type_name, mine.dtype) != (yours.type_name, yours.dtype):
            return False
        if mine.array is None or yours.array is None:
            if mine.array is not yours.array or mine.why_not != yours.why_not:
                return False
        elif compare.excess(mine.array, yours.array, tolerance) > 1:
            return False
    return True


def _same_layout(ours: Answer, theirs: Answer) -> bool:
    return (ours.container, ours.names, len(ours.values)) == (
        theirs.container,
        theirs.names,
        len(theirs.values),
    )


def _equal(ours: Array, theirs: Array, own: Tolerance, general: Tolerance) -> bool:
    """Return whether two arrays are equal by a case's own tolerance and by the problem's.

    A case has a wide tolerance of its own for huge numbers. Arrays with a number above its atol
    must therefore also agree to the problem's tolerance, scaled by the greatest number.
    """
    if ours.shape != theirs.shape:
        return False
    if ours.size and ours.dtype.kind == theirs.dtype.kind == "f":
        # The first element decides most comparisons, in a tenth of the time.
        first, other = ours.item(0), theirs.item(0)
        if abs(first - other) > own.atol + own.rtol * abs(other):
            return False
    if compare.excess(ours, theirs, own) > 1:
        return False
    if own == general:
        return True
    greatest = float(np.nanmax(np.abs(theirs), initial=0.0, where=np.isfinite(theirs)))
    if greatest <= own.atol:
        return True
    tight = Tolerance(0.0, general.atol + general.rtol * greatest)
    return compare.excess(ours, theirs, tight) <= 1
