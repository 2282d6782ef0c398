"""When two executions are equal, and which misconception is diagnosed, on problems of a few lines.

Here each rule is tested alone; `test_diagnosis.py` diagnoses whole files of learners.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from small_problem import (
    NAMED,
    PAIR,
    ROW,
    TOLERANCE,
    Behaviour,
    SmallProblem,
    instead,
    raising,
    right,
    says,
    small_problem,
    wrong,
)

from grader import equivalence
from grader.diagnose import UNDECIDED, UNDECIDED_ERRORS, diagnose
from grader.equivalence import Errors, Likeness, Scope, mostly_same_messages, same_error, same_type
from grader.model import (
    Checks,
    Execution,
    Failure,
    Misconception,
    Outcome,
    ReturnedValue,
    Returns,
    Run,
    Tolerance,
)

inf, nan = float("inf"), float("nan")


def gives(*values: Any) -> Behaviour:
    """Return a function that always returns these values."""
    returned = values[0] if len(values) == 1 else values
    return lambda x: returned


def fails(type_: type[Exception], message: str) -> Behaviour:
    """Return a function that raises."""

    def fail(x: Any) -> Any:
        raise type_(message)

    return fail


def listed(x: Any) -> Any:
    """Return the right values in a list."""
    return list(right(x))


def long_total(x: Any) -> Any:
    """Return a total with an axis too many beside a right row."""
    return 2 * x, np.array([x.sum()])


def long_row(x: Any) -> Any:
    """Return a row with an axis too many beside a right total."""
    return 2 * x[None], x.sum()


def off(x: Any) -> Any:
    """Return a wrong row and a long total."""
    return 2 * x + 1, np.array([x.sum()])


def shapeless(x: Any) -> Any:
    """Return two values of wrong shapes."""
    return x[:2], x


def other_total(x: Any) -> Any:
    """Return a right row and a wrong total."""
    return 2 * x, x.sum() + 1


def single_precision(x: Any) -> Any:
    """Return the right values, which float32 holds exactly, as float32."""
    return np.float32(2 * x), np.float32(x.sum())


def alike(
    ours: Behaviour,
    theirs: Behaviour,
    *,
    checks: Checks = "values",
    scope: Scope = "judged",
    structure_is_right: bool = True,
    errors: Errors = same_error,
    returns: Returns = PAIR,
    reference: Behaviour = right,
    own: Tolerance | None = None,
    tolerance: Tolerance = TOLERANCE,
) -> bool:
    """Return whether two functions are equal on the only case of a small problem."""
    small = small_problem(
        says("a", checks=checks),
        cases=1,
        returns=returns,
        reference=reference,
        tolerances={"a1": own} if own else {},
        tolerance=tolerance,
    )
    (case,) = small.prepared.problem.cases
    did = [small.execution(implementation, case) for implementation in (ours, theirs)]
    return Likeness(small.prepared, structure_is_right).same(case, did[0], did[1], errors, scope)


# --- two executions on a case ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        (right, right, True),
        (wrong, wrong, True),
        (right, wrong, False),
        (right, other_total, False),
        (other_total, right, False),
        (long_total, long_total, True),
        (long_total, right, False),
        (right, listed, False),
        (gives([1.0, 2.0, 3.0], 1.0), gives(np.array([1.0, 2.0, 3.0]), 1.0), True),
        (gives(None, 1.0), gives(None, 1.0), True),
        (gives(None, 1.0), gives("text", 1.0), False),
        (gives(None, 1.0), gives(1.0, 1.0), False),
        (gives(1.0, 1.0), gives(None, 1.0), False),
        (gives(None, 1.0), gives(None, 2.0), False),
        (gives(1.0, 1.0, 1.0), gives(1.0, 1.0), False),
        (gives(1.0), gives(1.0, 1.0), False),
        (single_precision, right, True),
        (right, raising, False),
        (raising, right, False),
        (raising, raising, True),
        (raising, fails(ValueError, "yes"), False),
        (raising, fails(TypeError, "no"), False),
    ],
)
def test_two_executions_are_equal_when_their_results_are(
    ours: Behaviour, theirs: Behaviour, same: bool
) -> None:
    assert alike(ours, theirs) is same


def test_exceptions_are_compared_by_the_given_function() -> None:
    assert alike(raising, fails(ValueError, "yes"), errors=same_type)
    assert not alike(raising, fails(TypeError, "no"), errors=same_type)


def test_dictionary_keys_are_compared() -> None:
    def named(x: Any) -> Any:
        return {"twice": 2 * x, "total": x.sum()}

    ours, theirs = gives({"a": 1.0}), gives({"b": 1.0})
    options: Any = {"returns": NAMED, "reference": named}
    assert alike(ours, ours, **options)
    assert not alike(ours, theirs, **options)


@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.RAISED])
def test_executions_that_did_not_return_or_raise_are_never_equal(outcome: Outcome) -> None:
    small = small_problem(says("a"), cases=1)
    (case,) = small.prepared.problem.cases
    ended = Execution(outcome, failure=Failure("exception", "ValueError", "no"))
    for other in (ended, small.execution(right, case), small.execution(raising, case)):
        for ours, theirs in ((ended, other), (other, ended)):
            assert not Likeness(small.prepared, True).same(case, ours, theirs, same_error, "judged")
            assert not equivalence.same(ours, theirs, PAIR, TOLERANCE)


def test_the_relative_tolerance_scales_with_the_second_execution() -> None:
    wide = Tolerance(0.25, 0.0)
    for row in ([7.9, 10.0, 10.0], [10.0, 10.0, 7.9]):
        near, far = gives(np.array(row)), gives(np.array([10.0, 10.0, 10.0]))
        options: Any = {"returns": ROW, "reference": lambda x: 2 * x, "tolerance": wide}
        assert alike(near, far, **options)
        assert not alike(far, near, **options)


def test_a_difference_of_exactly_the_tolerance_is_equal() -> None:
    for container in (float, int):
        options: Any = {"returns": ROW, "reference": lambda x: 2 * x}
        ours, theirs = (gives(np.array([n, n, n], container)) for n in (3, 2))
        assert alike(ours, theirs, tolerance=Tolerance(0.25, 0.5), **options)
        assert not alike(ours, theirs, tolerance=Tolerance(0.25, 0.49), **options)


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ([nan, 1.0], [nan, 1.0], True),
        ([nan, 1.0], [1.0, nan], False),
        ([inf, 1.0], [inf, 1.0], True),
        ([inf, 1.0], [-inf, 1.0], False),
        ([], [], True),
        ([], [1.0], False),
        ([1.0], [1.0, 1.0], False),
        ([[1.0], [2.0]], [[1.0, 2.0]], False),
        ([1, 2], [1.0, 2.0], True),
        ([True], [1], True),
        ([1, 3], [1, 2], False),
        ([1j], [1j], True),
        ([1j], [2j], False),
    ],
)
def test_arrays_are_equal_by_shape_and_value(ours: Any, theirs: Any, same: bool) -> None:
    behaviours = [gives(np.array(array)) for array in (ours, theirs)]
    assert alike(*behaviours, returns=ROW, reference=lambda x: 2 * x) is same


HUGE = 1e9


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ([HUGE, 0.0], [HUGE, 0.0], True),
        ([HUGE + 1e5, 0.0], [HUGE, 0.0], False),  # within 1e6, the tolerance of the case
        ([HUGE, 999.0], [HUGE, 0.0], True),  # the greatest number scales the tolerance
        ([HUGE, 1001.0], [HUGE, 0.0], False),
        ([-HUGE, 999.0], [-HUGE, 0.0], True),
        ([2e9, 0.0], [HUGE, 0.0], False),
        ([5.0, 9e5], [7.0, 3.0], True),  # the case does not compare small numbers
        ([5.0, 1e6], [7.0, 1e6], True),
        ([5.0, -1e6], [7.0, -1e6], True),
        ([5.0, 2e6], [8.0, 2e6], False),
        ([5.0, inf], [7.0, inf], True),
        ([5.0, 2e6, inf], [8.0, 2e6, inf], False),
        ([nan, nan], [nan, nan], True),
        ([nan, 5.0], [nan, 7.0], True),
        ([], [], True),
        ([0, 2 * 10**9], [0, 2 * 10**9], True),
        ([1.7e308 + 1.7e308j], [1.7e308 + 1.7e308j], True),  # the absolute value overflows
    ],
)
def test_a_case_with_a_wide_tolerance_compares_only_huge_numbers(
    ours: Any, theirs: Any, same: bool
) -> None:
    behaviours = [gives(np.array(array)) for array in (ours, theirs)]
    own = Tolerance(0.0, 1e6)
    assert alike(*behaviours, returns=ROW, reference=lambda x: 2 * x, own=own) is same


def test_the_smaller_of_case_and_exercise_tolerance_decides() -> None:
    general = Tolerance(0.0, 0.5)
    options: Any = {"returns": ROW, "reference": lambda x: 2 * x, "tolerance": general}
    ours, theirs = gives(np.array([9.5, 9.0, 9.0])), gives(np.array([9.0, 9.0, 9.0]))
    assert alike(ours, theirs, **options)
    assert alike(ours, theirs, own=Tolerance(0.0, 0.6), **options)
    assert not alike(ours, theirs, own=Tolerance(0.0, 0.4), **options)
    further = gives(np.array([9.6, 9.0, 9.0]))
    assert not alike(further, theirs, own=Tolerance(0.0, 0.7), **options)


def test_the_exercises_relative_tolerance_applies_to_small_numbers() -> None:
    general, own = Tolerance(0.1, 0.0), Tolerance(0.0, 0.05)
    options: Any = {"returns": ROW, "reference": lambda x: 2 * x, "tolerance": general}
    theirs = gives(np.array([0.1, 0.1, 0.1]))
    assert alike(gives(np.array([0.109, 0.1, 0.1])), theirs, own=own, **options)
    assert not alike(gives(np.array([0.13, 0.1, 0.1])), theirs, own=own, **options)


def test_a_dtype_requirement_compares_element_types() -> None:
    assert not alike(single_precision, right, checks="dtype")
    assert not alike(right, single_precision, checks="dtype")
    assert alike(single_precision, single_precision, checks="dtype")
    row = {"returns": ROW, "reference": lambda x: 2 * x, "checks": "dtype"}
    ours, theirs = gives(np.ones(3).view(np.matrix)), gives(np.ones((1, 3)))
    options: Any = row
    assert not alike(ours, theirs, **options)


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        (right, wrong, True),  # values of right structure are not compared
        (long_total, long_total, True),
        (long_total, right, False),
        (right, long_total, False),
        (off, long_total, True),
        (lambda x: (2 * x, [1.0]), long_total, False),
        (long_row, long_total, False),
        (long_row, lambda x: (2 * x[None], 0.0), True),
        (right, listed, False),
    ],
)
def test_a_structure_requirement_compares_only_values_of_wrong_structure(
    ours: Behaviour, theirs: Behaviour, same: bool
) -> None:
    for structure_is_right in (True, False):
        options: Any = {"structure_is_right": structure_is_right}
        assert alike(ours, theirs, checks="structure", **options) is same
        assert alike(ours, theirs, checks="values", scope="structure", **options) is same


def test_comparing_the_whole_answer_compares_every_number() -> None:
    for structure_is_right in (True, False):
        for checks in ("structure", "values"):
            options: Any = {"checks": checks, "structure_is_right": structure_is_right}
            assert not alike(right, wrong, scope="whole", **options)
            assert not alike(off, long_total, scope="whole", **options)
            assert not alike(long_total, right, scope="whole", **options)
            assert alike(off, off, scope="whole", **options)


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        (long_total, right, True),
        (right, long_total, False),  # a value of right structure against one of wrong structure
        (long_total, off, False),
        (off, off, True),
        (long_total, long_row, False),
        (shapeless, shapeless, True),
        (shapeless, right, False),
        (shapeless, lambda x: (x[:2] + 1, x), False),
        (lambda x: 2 * x, right, True),
        (lambda x: 2 * x + 1, right, False),
    ],
)
def test_with_structure_unmet_only_values_of_right_structure_are_compared(
    ours: Behaviour, theirs: Behaviour, same: bool
) -> None:
    assert alike(ours, theirs, structure_is_right=False) is same


# --- whether a case rejects -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("does", "checks", "structure_is_right", "rejected"),
    [
        (right, "values", True, False),
        (right, "structure", True, False),
        (right, "dtype", True, False),
        (wrong, "values", True, True),
        (other_total, "values", True, True),
        (wrong, "structure", True, False),
        (raising, "values", True, True),
        (raising, "structure", False, True),
        (long_total, "values", True, True),
        (long_total, "values", False, False),
        (long_total, "structure", False, True),
        (off, "values", False, True),
        (shapeless, "values", False, False),
        (shapeless, "values", True, True),
        (single_precision, "values", True, False),
        (single_precision, "dtype", True, True),
        (wrong, "dtype", True, True),
    ],
)
def test_a_case_rejects_wrong_values_that_it_can_judge(
    does: Behaviour, checks: Checks, structure_is_right: bool, rejected: bool
) -> None:
    values = tuple(ReturnedValue(v.name, v.axes, "float64") for v in PAIR.values)
    small = small_problem(says("a", checks=checks), cases=1, returns=Returns("tuple", values))
    (case,) = small.prepared.problem.cases
    judging = Likeness(small.prepared, structure_is_right)
    assert judging.is_wrong(case, small.execution(does, case)) is rejected


def test_a_case_rejects_beyond_its_own_tolerance_but_not_at_its_edge() -> None:
    small = small_problem(
        says("a"), tolerances={"a1": Tolerance(0.0, 3.0), "a2": Tolerance(0.0, 2.9)}
    )
    judging = Likeness(small.prepared, True)
    assert [
        judging.is_wrong(c, small.execution(wrong, c)) for c in small.prepared.problem.cases
    ] == [
        False,
        True,
    ]


# --- executions compared by the audit -------------------------------------------------------------

TYPED = Returns("tuple", (ReturnedValue("twice", ("row",)), ReturnedValue("total", (), "float64")))


@pytest.mark.parametrize(
    ("ours", "theirs", "same", "same_with_types"),
    [
        (right, right, True, True),
        (wrong, right, False, False),
        (right, other_total, False, False),
        (right, listed, False, False),
        (long_total, right, False, False),
        (single_precision, right, True, False),
        (raising, raising, True, True),
        (raising, fails(ValueError, "yes"), False, False),
        (raising, right, False, False),
        (gives(None, 1.0), gives(None, 1.0), True, True),
        (gives(None, 1.0), gives("text", 1.0), False, False),
        (gives(None, 1.0), gives([1.0], 1.0), False, False),
        (gives([1.0], 1.0), gives(None, 1.0), False, False),
        (gives(None, 1.0), gives(None, 2.0), False, False),
        (gives([1.0], 1.0), gives(np.array([1.0]), 1.0), True, False),
        (gives(np.array([3.0]), 1.0), gives(np.array([2.0]), 1.0), False, False),
    ],
)
def test_the_audit_compares_values_types_and_exceptions(
    ours: Behaviour, theirs: Behaviour, same: bool, same_with_types: bool
) -> None:
    small = small_problem(says("a"), cases=1)
    (case,) = small.prepared.problem.cases
    did = [small.execution(implementation, case) for implementation in (ours, theirs)]
    assert equivalence.same(did[0], did[1], PAIR, TOLERANCE) is same
    assert equivalence.same(did[0], did[1], TYPED, TOLERANCE) is same_with_types


def test_the_audit_treats_a_difference_of_exactly_the_tolerance_as_equal() -> None:
    small = small_problem(says("a"), cases=1)
    (case,) = small.prepared.problem.cases
    three, two = (small.execution(gives(np.array([n]), 1.0), case) for n in (3.0, 2.0))
    assert equivalence.same(three, two, PAIR, Tolerance(0.25, 0.5))
    assert not equivalence.same(three, two, PAIR, Tolerance(0.25, 0.49))


# --- messages of exceptions -----------------------------------------------------------------------


def raised(message: str, type_name: str = "ValueError") -> Execution:
    """Return an execution that raised."""
    return Execution(Outcome.RAISED, failure=Failure("exception", type_name, message))


RETURNED = Execution(Outcome.RETURNED)
MATMUL = "matmul: Input operand 1 has a mismatch in its core dimension 0"
DOT = "shapes (3,4) and (5,6) not aligned: 4 (dim 1) != 5 (dim 0)"
BROADCAST = "operands could not be broadcast together with shapes (3,4) (5,)"
RESHAPE = "cannot reshape array of size {} into shape {}"


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("no", "no", True),
        ("no", "yes", False),
        (MATMUL, DOT, True),
        (DOT, BROADCAST, True),
        (BROADCAST, MATMUL, True),
        (MATMUL, "no", False),
        ("so, " + DOT, DOT, False),
        (RESHAPE.format(12, "(3,4)"), RESHAPE.format(12, "(2,3,2)"), True),
        (RESHAPE.format(12, "(3,5)"), RESHAPE.format(6, "(5,)"), True),
        (RESHAPE.format(6, "(5,)"), RESHAPE.format(12, "(3,5)"), True),
        (RESHAPE.format(12, "(3,5)"), RESHAPE.format(5, "(3,)"), False),
        (RESHAPE.format(0, "(3,5)"), RESHAPE.format(12, "(5,)"), False),
        (RESHAPE.format(12, "(5,)"), RESHAPE.format(0, "(3,5)"), False),
        (RESHAPE.format(1, "(3,5)"), RESHAPE.format(12, "(5,)"), True),
        (RESHAPE.format(12, "(3,5)"), "no", False),
        (RESHAPE.format(12, "(3,5)"), MATMUL, False),
        ("axes (3) differ", "axes (4) differ", True),
        ("axes [3] differ", "axes [4] differ", True),
        ("axes [3] differ", "rows [3] differ", False),
    ],
)
def test_exception_messages_of_equivalent_numpy_steps_are_of_one_kind(
    ours: str, theirs: str, same: bool
) -> None:
    assert mostly_same_messages([(raised(ours), raised(theirs))]) is same


def test_assertion_errors_match_with_different_messages() -> None:
    one, other = raised("rows", "AssertionError"), raised("columns", "AssertionError")
    assert mostly_same_messages([(one, other)])
    assert not mostly_same_messages([(one, raised("rows"))])


def test_messages_must_match_in_more_than_half_of_the_cases_where_both_raised() -> None:
    same, differ = (raised("no"), raised("no")), (raised("no"), raised("yes"))
    assert mostly_same_messages([same, same, differ])
    assert not mostly_same_messages([same, differ])
    assert not mostly_same_messages([same, differ, differ])
    assert mostly_same_messages([same, (RETURNED, raised("yes")), (raised("yes"), RETURNED)])
    assert not mostly_same_messages([])
    assert not mostly_same_messages([(RETURNED, RETURNED)])


# --- diagnoses ------------------------------------------------------------------------------------


def mistake(
    id: str, violates: str, small: SmallProblem, same_as: str | None = None, **behaviours: Behaviour
) -> Misconception:
    """Return a misconception with these behaviours by case id; it is right on other cases."""
    hint = f"You {id}."
    return Misconception(id, violates, hint, small.calls(behaviours), same_as)


def named(small: SmallProblem, known: Sequence[Misconception], run: Run) -> Mapping[str, str]:
    """Return the diagnosed ids by requirement; '?' when several misconceptions match."""
    results = small.report(run).requirements
    found = diagnose(
        small.prepared,
        known,
        lambda m, case: small.execution(m.implementation, case),
        run,
        results,
    )
    for diagnosis in found.values():
        if diagnosis.misconception:
            assert diagnosis.hint == f"You {diagnosis.misconception}."
        else:
            assert diagnosis.misconception == ""
            assert diagnosis.hint in (UNDECIDED, UNDECIDED_ERRORS)
    return {id: diagnosis.misconception or "?" for id, diagnosis in found.items()}


def plus(n: float) -> Behaviour:
    """Return a function that adds a number to every value of the row."""
    return lambda x: (2 * x + n, x.sum())


def test_equal_wrong_values_diagnose_the_misconception() -> None:
    small = small_problem(says("a"), says("b"))
    known = [
        mistake("add", "a", small, a1=plus(1), a2=plus(2)),
        mistake("take", "a", small, a1=plus(-1), a2=plus(2)),
    ]
    assert named(small, known, small.run(a1=plus(1), a2=plus(2))) == {"a": "add"}
    assert named(small, known, small.run(a1=plus(1 + 1e-9), a2=plus(2))) == {"a": "add"}


def test_merely_close_wrong_values_are_not_diagnosed() -> None:
    small = small_problem(says("a"))
    known = [mistake("add", "a", small, a1=plus(1), a2=plus(2))]
    assert named(small, known, small.run(a1=plus(1.001), a2=plus(2))) == {}
    assert named(small, known, small.run(a1=plus(1), a2=plus(2.001))) == {}
    assert (
        named(small, known, small.run(a1=plus(1))) == {}
    )  # the misconception is wrong on both cases


def test_a_diagnosis_needs_every_case_of_the_requirement_including_crashes() -> None:
    small = small_problem(says("a"))
    known = [mistake("add", "a", small, a1=plus(1), a2=raising)]
    assert named(small, known, small.run(a1=plus(1), a2=raising)) == {"a": "add"}
    assert named(small, known, small.run(a1=plus(1))) == {}


def test_a_failed_requirement_after_a_met_one_is_diagnosed() -> None:
    small = small_problem(says("a"), says("b"))
    known = [mistake("add", "b", small, b1=plus(1))]
    assert named(small, known, small.run(b1=plus(1))) == {"b": "add"}


def test_met_and_skipped_requirements_are_not_diagnosed() -> None:
    small = small_problem(says("a"), says("b", "a"))
    known = [mistake("add", "a", small, a1=plus(1), b1=plus(1))]
    assert named(small, known, small.run()) == {}
    assert named(small, known, small.run(a1=plus(1), b1=plus(1))) == {"a": "add"}


def test_a_misconception_that_no_case_rejects_is_not_diagnosed() -> None:
    coarse = Tolerance(0.0, 1.0)
    small = small_problem(says("a"), tolerance=coarse, cases=1)
    known = [mistake("add", "a", small, a1=plus(0.8))]
    assert named(small, known, small.run(a1=plus(1.5))) == {}
    known = [mistake("add", "a", small, a1=plus(1.1))]
    assert named(small, known, small.run(a1=plus(1.5))) == {"a": "add"}


def test_several_matching_misconceptions_give_an_undecided_hint() -> None:
    small = small_problem(says("a"))
    known = [mistake(id, "a", small, a1=plus(1)) for id in ("add", "append")]
    run = small.run(a1=plus(1))
    assert named(small, known, run) == {"a": "?"}
    results = small.report(run).requirements
    found = diagnose(
        small.prepared, known, lambda m, c: small.execution(m.implementation, c), run, results
    )
    assert found["a"].hint == UNDECIDED
    crashing = [mistake(id, "a", small, a1=raising) for id in ("add", "append")]
    run = small.run(a1=raising)
    found = diagnose(
        small.prepared,
        crashing,
        lambda m, c: small.execution(m.implementation, c),
        run,
        small.report(run).requirements,
    )
    assert found["a"].hint == UNDECIDED_ERRORS


def test_misconceptions_declared_the_same_are_diagnosed_by_one_id() -> None:
    small = small_problem(says("a"))
    known = [
        mistake("append", "a", small, same_as="add", a1=plus(1)),
        mistake("add", "a", small, a1=plus(1)),
    ]
    assert named(small, known, small.run(a1=plus(1))) == {"a": "add"}


def test_a_misconception_that_violates_the_requirement_is_preferred() -> None:
    small = small_problem(says("a"), says("b"))
    known = [mistake("add", "b", small, a1=plus(1)), mistake("more", "a", small, a1=plus(1))]
    assert named(small, known, small.run(a1=plus(1))) == {"a": "more"}
    assert named(small, known[:1], small.run(a1=plus(1))) == {"a": "add"}


def test_a_misconception_that_also_matches_the_together_case_is_preferred() -> None:
    small = small_problem(says("a"), says("together", "a"), cases=1)
    known = [
        mistake("add", "a", small, a1=plus(1), together1=raising),
        mistake("more", "a", small, a1=plus(1), together1=plus(5)),
    ]
    run = small.run(a1=plus(1), together1=plus(5))
    assert named(small, known, run) == {"a": "more"}
    assert named(small, known[::-1], run) == {"a": "more"}


def test_the_together_case_takes_precedence_over_the_number_of_matching_cases() -> None:
    small = small_problem(says("a"), says("b", "a"), says("together", "a"), cases=1)
    known = [
        mistake("add", "a", small, a1=plus(1), b1=plus(3), together1=raising),
        mistake("more", "a", small, a1=plus(1), b1=raising, together1=plus(5)),
    ]
    run = small.run(a1=plus(1), b1=plus(3), together1=plus(5))
    assert named(small, known, run) == named(small, known[::-1], run) == {"a": "more"}


def test_the_together_case_compares_exception_messages() -> None:
    small = small_problem(says("a"), says("together", "a"), cases=1)
    known = [
        mistake("add", "a", small, a1=plus(1), together1=raising),
        mistake("more", "a", small, a1=plus(1), together1=fails(ValueError, "yes")),
    ]
    run = small.run(a1=plus(1), together1=raising)
    assert named(small, known, run) == {"a": "add"}
    run = small.run(a1=plus(1), together1=fails(ValueError, "yes"))
    assert named(small, known, run) == {"a": "more"}
    run = small.run(a1=plus(1), together1=fails(ValueError, "or"))
    assert named(small, known, run) == {"a": "?"}


def test_a_misconception_with_equal_numbers_in_structure_cases_is_preferred() -> None:
    small = small_problem(says("shapes", checks="structure"), says("a"), cases=1)
    known = [
        mistake("add", "a", small, a1=plus(1), shapes1=plus(1)),
        mistake("more", "a", small, a1=plus(1), shapes1=plus(9)),
    ]
    assert named(small, known, small.run(a1=plus(1), shapes1=plus(1))) == {"a": "add"}
    assert named(small, known, small.run(a1=plus(1), shapes1=plus(9))) == {"a": "more"}


def test_a_misconception_that_matches_the_most_cases_is_preferred() -> None:
    small = small_problem(says("a"), says("b", "a"), says("c", "a"), cases=1)
    known = [
        mistake("add", "a", small, a1=plus(1), b1=raising, c1=plus(2)),
        mistake("more", "a", small, a1=plus(1), b1=plus(3), c1=plus(2)),
    ]
    for order in (known, known[::-1]):
        assert named(small, order, small.run(a1=plus(1), b1=plus(3), c1=plus(2))) == {"a": "more"}
        # Each matches a case that the other does not match: neither is preferred.
        run = small.run(a1=plus(1), b1=raising, c1=raising)
        crossing = [order[0], mistake("less", "a", small, a1=plus(1), b1=plus(3), c1=raising)]
        crossing[0] = mistake("plus", "a", small, a1=plus(1), b1=raising, c1=plus(2))
        assert named(small, crossing, run) == {"a": "?"}


def test_a_mismatch_in_another_case_prevents_the_diagnosis() -> None:
    small = small_problem(says("a"), says("b"), cases=1)
    known = [mistake("add", "a", small, a1=plus(1))]
    assert named(small, known, small.run(a1=plus(1))) == {"a": "add"}
    assert named(small, known, small.run(a1=plus(1), b1=plus(7))) == {}


def test_numbers_in_structure_cases_do_not_prevent_a_diagnosis() -> None:
    small = small_problem(says("shapes", checks="structure"), says("a"), cases=1)
    known = [mistake("add", "a", small, a1=plus(1), shapes1=plus(3))]
    assert named(small, known, small.run(a1=plus(1))) == {"a": "add"}


def test_a_misconception_that_gives_nan_elsewhere_is_still_diagnosed() -> None:
    small = small_problem(says("a"), says("b"), cases=1)
    run = small.run(a1=plus(1), b1=plus(7))
    for does, names in (
        (plus(nan), {"a": "add"}),
        (plus(inf), {"a": "add"}),
        (plus(8), {}),
        (lambda x: (None, x.sum()), {}),
    ):
        assert named(small, [mistake("add", "a", small, a1=plus(1), b1=does)], run) == names


def test_a_crash_in_another_case_does_not_prevent_the_diagnosis() -> None:
    small = small_problem(says("a"), says("b"), cases=1)
    known = [mistake("add", "a", small, a1=plus(1))]
    assert named(small, known, small.run(a1=plus(1), b1=raising)) == {"a": "add"}
    crashing = [mistake("add", "a", small, a1=plus(1), b1=raising)]
    assert named(small, crashing, small.run(a1=plus(1), b1=plus(7))) == {"a": "add"}


def test_two_misconceptions_are_diagnosed_under_their_own_requirements() -> None:
    small = small_problem(says("a"), says("b"), says("together", "a", "b"))
    both = lambda x: (2 * x + 9, x.sum())  # noqa: E731
    known = [
        mistake("add", "a", small, a1=plus(1), a2=plus(2), together1=plus(3)),
        mistake("take", "b", small, b1=plus(-1), b2=plus(-2), together1=plus(-3)),
    ]
    run = small.run(a1=plus(1), a2=plus(2), b1=plus(-1), b2=plus(-2), together1=both)
    assert named(small, known, run) == {"a": "add", "b": "take"}


def test_a_second_misconception_explains_only_cases_that_reject_it() -> None:
    small = small_problem(says("a"), says("b"), says("c"), cases=1)
    add = mistake("add", "a", small, a1=plus(1))
    take = mistake("take", "b", small, b1=plus(-1), c1=plus(-2))
    agreed = small.run(a1=plus(1), b1=plus(-1), c1=plus(-2))
    assert named(small, [add, take], agreed) == {"a": "add", "b": "take", "c": "take"}
    # The case of `b` does not reject the second misconception.
    silent = small.run(a1=plus(1), c1=plus(-2))
    assert named(small, [add, take], silent) == {}
    # The second misconception's own case is wrong in another way.
    strange = small.run(a1=plus(1), b1=plus(-9), c1=plus(-2))
    assert "a" not in named(small, [add, take], strange)
    # A case wrong only by the second misconception must match it.
    other = small.run(a1=plus(1), b1=plus(-1), c1=plus(-3))
    assert named(small, [add, take], other) == {}
    # A case that neither misconception fails must be right.
    more = mistake("take", "b", small, b1=plus(-1))
    assert named(small, [add, more], other) == {}


def test_a_second_misconception_may_crash_with_another_message() -> None:
    small = small_problem(says("a"), says("b"), says("c"), cases=1)
    add = mistake("add", "a", small, a1=plus(1), b1=right, c1=plus(4))
    crash = mistake("crash", "b", small, b1=raising, c1=plus(2))
    yes = fails(ValueError, "yes")
    run = small.run(a1=plus(1), b1=yes, c1=plus(9))
    assert named(small, [add, crash], run)["a"] == "add"
    spread = mistake("spread", "b", small, b1=raising, c1=raising)
    plain = mistake("plain", "a", small, a1=plus(1))
    run = small.run(a1=plus(1), b1=yes, c1=yes)
    assert named(small, [plain, spread], run)["a"] == "plain"


def test_cases_wrong_only_by_the_first_misconception_must_match_it() -> None:
    small = small_problem(says("a"), says("b"), says("c"), cases=1)
    add = mistake("add", "a", small, a1=plus(1), c1=plus(4))
    take = mistake("take", "b", small, b1=plus(-1))
    run = small.run(a1=plus(1), b1=plus(-1), c1=plus(4))
    assert named(small, [add, take], run) == {"a": "add", "b": "take", "c": "add"}
    run = small.run(a1=plus(1), b1=plus(-1), c1=plus(5))
    assert named(small, [add, take], run) == {}
    run = small.run(a1=plus(1), b1=plus(-1), c1=raising)
    assert named(small, [add, take], run) == {"a": "add"}


def test_a_second_misconception_needs_another_idea_and_requirement() -> None:
    small = small_problem(says("a"), says("b"), cases=2)
    add = mistake("add", "a", small, a1=plus(1), a2=plus(1))
    run = small.run(a1=plus(1), a2=plus(1), b1=plus(-1))
    twin = mistake("twin", "b", small, same_as="add", b1=plus(-1))
    assert named(small, [add, twin], run) == {}
    mate = mistake("mate", "a", small, b1=plus(-1))
    assert "a" not in named(small, [add, mate], run)
    stranger = mistake("stranger", "b", small, b1=plus(-1))
    assert named(small, [add, stranger], run) == {"a": "add", "b": "stranger"}


def test_an_exception_is_diagnosed_by_its_type_and_message() -> None:
    small = small_problem(says("a"))
    known = [
        mistake("add", "a", small, a1=fails(ValueError, "no")),
        mistake("take", "a", small, a1=fails(ValueError, "yes")),
    ]
    assert named(small, known, small.run(a1=fails(ValueError, "no"))) == {"a": "add"}
    assert named(small, known, small.run(a1=fails(TypeError, "no"))) == {}


def test_a_message_of_the_same_kind_is_diagnosed_when_other_cases_agree() -> None:
    small = small_problem(says("a"), says("b"), cases=1)
    known = [mistake("add", "a", small, a1=fails(ValueError, MATMUL), b1=plus(1))]
    dot = fails(ValueError, DOT)
    assert named(small, known, small.run(a1=dot, b1=plus(1))) == {"a": "add", "b": "add"}
    assert "a" not in named(small, known, small.run(a1=dot))
    assert "a" not in named(small, known, small.run(a1=fails(TypeError, DOT), b1=plus(1)))
    assert "a" not in named(small, known, small.run(a1=fails(ValueError, "no"), b1=plus(1)))


def test_exception_messages_must_match_in_most_cases() -> None:
    small = small_problem(says("a"), cases=3)
    known = [mistake("add", "a", small, a1=raising, a2=raising, a3=raising)]
    yes = fails(ValueError, "yes")
    assert named(small, known, small.run(a1=yes, a2=raising, a3=raising)) == {"a": "add"}
    assert named(small, known, small.run(a1=yes, a2=yes, a3=raising)) == {}


def test_a_timeout_is_not_diagnosed() -> None:
    small = small_problem(says("a"), cases=1)
    known = [mistake("add", "a", small, a1=raising)]
    stuck = Execution(Outcome.TIMED_OUT, failure=Failure("exception", "ValueError", "no"))
    assert named(small, known, instead(small.run(), a1=stuck)) == {}


def test_a_wrong_structure_is_diagnosed_by_structure_alone() -> None:
    small = small_problem(says("shapes", checks="structure"), says("a"), cases=1)
    known = [
        mistake("stretch", "shapes", small, shapes1=long_total, a1=long_total),
        mistake("flip", "shapes", small, shapes1=long_row, a1=long_row),
    ]
    run = small.run(shapes1=long_total, a1=long_total)
    assert named(small, known, run) == {"shapes": "stretch"}
    run = small.run(shapes1=long_total, a1=lambda x: (2 * x + 4, np.array([x.sum()])))
    assert named(small, known, run) == {"shapes": "stretch"}
    run = small.run(shapes1=long_total, a1=right)
    assert named(small, known, run) == {}


def test_a_wrong_shape_does_not_match_a_misconception_about_numbers() -> None:
    small = small_problem(says("shapes", checks="structure"), says("a"), cases=1)
    known = [mistake("total", "a", small, a1=other_total)]
    assert named(small, known, small.run(a1=long_total)) == {}
    known = [mistake("stretch", "a", small, a1=long_total)]
    assert named(small, known, small.run(a1=long_total)) == {"a": "stretch"}


def test_a_misconception_about_numbers_is_diagnosed_beside_a_wrong_structure() -> None:
    small = small_problem(says("shapes", checks="structure"), says("a", proves=("twice",)), cases=1)
    known = [
        mistake("stretch", "shapes", small, shapes1=long_total, a1=long_total),
        mistake("add", "a", small, a1=lambda x: (2 * x + 1, x.sum())),
    ]
    run = small.run(shapes1=long_total, a1=off)
    assert named(small, known, run) == {"shapes": "stretch", "a": "add"}
