"""Patterns in wrong numbers, reported without a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from small_problem import answer_with

from grader import compare, explain
from grader.model import Mismatch, ReturnedValue, Returns, Tolerance

TOLERANCE = Tolerance(1e-9, 1e-12)
WEIGHTS = np.array(
    [
        [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.25, 0.3, 0.45]],
        [[0.5, 0.4, 0.1], [0.2, 0.2, 0.6], [0.9, 0.1, 0.0]],
    ]
)
SCORES = np.array([[1.0, -2.0, 3.0, 0.5], [4.0, 5.5, -6.0, 1.5], [7.0, 0.25, 9.0, -3.5]])


def mismatch(
    actual: Any, expected: Any, axes: Sequence[str], tolerance: Tolerance = TOLERANCE
) -> Mismatch:
    """Compare one returned value through the public functions."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    returns = Returns("single", (ReturnedValue("values", tuple(axes)),))
    right = answer_with(expected)
    found = compare.structure(answer_with(actual), returns, right)
    result = compare.values(found, returns, right, tolerance)
    assert result is not None
    telling = compare.with_patterns(result, found, returns, right, tolerance)
    assert (telling.kind, telling.value, telling.axes) == (result.kind, "values", tuple(axes))
    assert {**telling.facts, **result.facts} == telling.facts
    return telling


def said(actual: Any, expected: Any, axes: Sequence[str]) -> str:
    """Return the sentence about the first pattern, or ''."""
    result = mismatch(actual, expected, axes)
    found = result.facts["patterns"]
    return explain.pattern_sentence(found[0], axes) if found else ""


HEADS = ("head", "query", "key")
TABLE = ("query", "feature")


def test_sums_of_1_over_another_axis_are_reported() -> None:
    softmax_over_queries = np.exp(np.log(WEIGHTS + 0.1))
    softmax_over_queries /= softmax_over_queries.sum(1, keepdims=True)
    assert said(softmax_over_queries, WEIGHTS, HEADS) == (
        "The values do not add up to 1 over 'key', but over 'query' they do."
    )


def test_sums_of_1_over_no_axis_are_reported() -> None:
    assert said(WEIGHTS**2, WEIGHTS, HEADS) == "The values do not add up to 1 over 'key'."


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (2.0, "2"),
        (0.5, "1/2"),
        (3**0.5, "sqrt(3)"),
        (12**-0.5, "1/sqrt(12)"),
        (-1.0, "-1"),
        (0.3, "0.3"),
    ],
)
def test_a_common_factor_is_reported(factor: float, words: str) -> None:
    expected = f"Every value is {words} times the expected one."
    assert said(SCORES * factor, SCORES, TABLE) == expected


def test_exchanged_axes_are_reported() -> None:
    square = SCORES[:, :3]
    assert said(square.T, square, TABLE) == (
        "The values are right with 'query' and 'feature' exchanged."
    )


def test_a_permuted_axis_is_reported_with_its_order() -> None:
    assert said(SCORES[:, [2, 0, 1, 3]], SCORES, TABLE) == (
        "The values are right, but in another order along 'feature': 2, 0, 1, 3."
    )


def test_differences_only_at_expected_zeros_are_reported() -> None:
    leaking = SCORES * (SCORES > 0)
    expected = leaking.copy()
    leaking[expected == 0] = 1e-3
    assert said(leaking, expected, TABLE) == "All differences are where exactly 0 is expected."


def test_differences_above_the_diagonal_are_reported() -> None:
    square = SCORES[:, :3]
    assert said(square + np.triu(np.ones((3, 3)), 1), square, TABLE) == (
        "All differences are above the diagonal."
    )


def test_differences_in_one_head_are_reported() -> None:
    wrong = WEIGHTS.copy()
    wrong[1, :, :2] = wrong[1, :, 1::-1]
    assert said(wrong, WEIGHTS, HEADS) == "All differences are at head 1."


def test_differences_from_the_second_row_on_are_reported() -> None:
    wrong = SCORES.copy()
    wrong[1:] += [[0.1], [0.7]]
    assert (
        said(wrong, SCORES, TABLE)
        == "The differences begin at query 1; everything before is right."
    )


def test_unrelated_numbers_have_no_pattern() -> None:
    assert said(np.cos(SCORES) * 3 + SCORES, SCORES, TABLE) == ""


def test_a_nan_has_no_pattern() -> None:
    wrong = SCORES.copy()
    wrong[0, 0] = np.nan
    assert "patterns" not in mismatch(wrong, SCORES, TABLE).facts


@pytest.mark.parametrize("row", [[1.0, 2.0, 3.0, np.inf], [1j, 2.0, 3.0, 4.0]])
def test_infinities_and_complex_numbers_have_no_pattern(row: Any) -> None:
    expected = np.array(row)
    wrong = np.where(np.isfinite(expected), 2 * expected, expected)
    assert mismatch(wrong, expected, ("query",)).facts["patterns"] == []


def test_a_difference_of_exactly_the_tolerance_is_not_part_of_a_pattern() -> None:
    wrong = SCORES.copy()
    wrong[0, 0] += 0.5
    wrong[1, 1:] += [3.0, 5.0, 9.0]
    found = mismatch(wrong, SCORES, TABLE, Tolerance(0.0, 0.5)).facts["patterns"]
    assert {"pattern": "only", "axis": 0, "index": 1} in found


# --- each pattern at its edges --------------------------------------------------------------------

HALF = Tolerance(0.0, 0.5)


def found(actual: Any, expected: Any, tolerance: Tolerance = TOLERANCE) -> dict[str, Any]:
    """Return the facts of each pattern by its name; a list, since a pattern may occur twice."""
    expected = np.array(expected, float)
    axes = [f"axis{n}" for n in range(expected.ndim)]
    by_name: dict[str, Any] = {}
    for pattern in mismatch(np.array(actual, float), expected, axes, tolerance).facts["patterns"]:
        facts = {key: value for key, value in pattern.items() if key != "pattern"}
        by_name.setdefault(pattern["pattern"], []).append(facts)
    return by_name


def test_sums_equal_1_within_a_millionth() -> None:
    row = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    assert "sums" not in found(row + np.array([5e-7, 0, 0]), row)
    assert found(row + np.array([5e-6, 0, 0]), row)["sums"] == [{"axis": 1, "instead": None}]


def test_sums_are_checked_over_axes_longer_than_one() -> None:
    expected, actual = [[0.3, 0.7], [0.6, 0.4]], [[0.3, 0.9], [0.7, 0.1]]
    assert found(actual, expected)["sums"] == [{"axis": 1, "instead": 0}]
    assert "sums" not in found([[2.0, 2.0, 2.0]], [[1.0, 1.0, 1.0]])
    assert found([[1.0, 1.0, 1.0]], [[0.2, 0.3, 0.5]])["sums"] == [{"axis": 1, "instead": None}]


def test_a_factor_is_nonzero_and_needs_three_nonzero_expected_numbers() -> None:
    assert "factor" not in found([1.5, 3.0, 6.0], [0.5, 1.0, 2.0], HALF)
    assert found([0.0, 3.0, 6.0, 9.0], [0.0, 1.0, 2.0, 3.0])["factor"] == [{"factor": 3.0}]
    assert "factor" not in found([0.0, 0.0, 0.0, 0.0], [4.0, 1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("factor", "deviation", "is_one"),
    [(4.0, 4.0, True), (4.0, 4.5, False), (0.5, 1.0, True), (0.5, 1.5, False)],
)
def test_a_factor_holds_within_twice_the_tolerance_times_the_factor(
    factor: float, deviation: float, is_one: bool
) -> None:
    expected = np.array([8.0, -8.0, 8.0, 4.0])
    wrong = factor * expected
    wrong[1] += deviation
    assert ("factor" in found(wrong, expected, HALF)) is is_one


@pytest.mark.parametrize(("deviation", "is_one"), [(1.0, True), (1.25, False)])
def test_exchanged_and_permuted_axes_hold_within_twice_the_tolerance(
    deviation: float, is_one: bool
) -> None:
    expected = np.array([[10.0, 20.0], [30.0, 45.0]])
    wrong = expected.T.copy()
    wrong[0, 0] += deviation
    assert ("transposed" in found(wrong, expected, HALF)) is is_one
    wrong = expected[::-1].copy()
    wrong[0, 0] += deviation
    assert ("permuted" in found(wrong, expected, HALF)) is is_one


def test_a_permutation_is_found_along_axes_of_length_2_to_64() -> None:
    for length, is_one in ((2, True), (64, True), (65, False)):
        expected = np.arange(3.0 * length).reshape(length, 3) ** 1.5
        order = list(range(length))[::-1]
        permuted = found(expected[::-1], expected).get("permuted")
        assert permuted == ([{"axis": 0, "order": order}] if is_one else None)
        columns = found(expected[:, [1, 2, 0]], expected)["permuted"]
        assert columns == [{"axis": 1, "order": [1, 2, 0]}]


def test_a_permutation_must_use_every_slice_and_not_be_the_identity() -> None:
    expected = np.array([[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]])
    assert "permuted" not in found([[3.0, 5.0], [1.0, 2.0], [8.0, 4.0]], expected)
    assert "permuted" not in found(expected * 10 + 0.75, expected * 10, HALF)


def test_wrong_values_everywhere_have_no_place_pattern() -> None:
    assert found([[1.0, 2.0], [4.0, 3.0]], np.zeros((2, 2))) == {}
    assert found(1.0, 0.0) == {}


@pytest.mark.parametrize(
    ("place", "places"),
    [
        ((0, 1), {"triangle": [{"side": "above"}]}),
        ((1, 0), {"triangle": [{"side": "below"}]}),
        ((0, 0), {}),
    ],
)
def test_a_triangle_is_reported_only_for_square_matrices(
    place: tuple[int, int], places: dict[str, Any]
) -> None:
    for expected in (SCORES[:2, :2], SCORES[:, :3], np.stack([SCORES[:, :3]] * 2)):
        wrong = expected.copy()
        wrong[..., place[0], place[1]] += 50
        told = found(wrong, expected)
        assert {name: told[name] for name in told if name == "triangle"} == places
    for expected in (SCORES, np.stack([SCORES] * 2)):
        wrong = expected.copy()
        wrong[..., place[0], place[1]] += 50
        assert "triangle" not in found(wrong, expected)


def test_single_and_trailing_indices_are_reported_for_axes_longer_than_one() -> None:
    def at(*rows: int) -> dict[str, Any]:
        wrong = SCORES.copy()
        wrong[list(rows), 1] += [50.0, 70.0, 90.0][: len(rows)]
        return found(wrong, SCORES)

    column = {"axis": 1, "index": 1}
    assert at(1) == {"only": [{"axis": 0, "index": 1}, column]}
    assert at(1, 2) == {"from": [{"axis": 0, "index": 1}], "only": [column]}
    assert at(0, 2) == at(0, 1) == at(0, 1, 2) == {"only": [column]}
    assert found([[1.0, 9.0, 3.0]], [[1.0, 2.0, 3.0]]) == {"only": [{"axis": 1, "index": 1}]}
    assert found([1.0, 9.0, 3.0], [1.0, 2.0, 3.0]) == {"only": [{"axis": 0, "index": 1}]}


def test_integers_that_are_equal_as_floats_differ_exactly() -> None:
    expected = np.array([[2**53, 7], [1, 5]])
    wrong = expected + np.array([[1, 0], [0, 0]])
    told = mismatch(wrong, expected, TABLE, Tolerance(0.0, 0.0)).facts["patterns"]
    assert [pattern for pattern in told if pattern["pattern"] in ("zeros", "triangle")] == []
    assert {"pattern": "only", "axis": 0, "index": 0} in told


def test_differences_that_overflow_are_examined_without_a_warning() -> None:
    expected = np.array([1.7e308, 1.0, 2.0])
    assert found(expected * [-1, 1, 1], expected)["only"] == [{"axis": 0, "index": 0}]
