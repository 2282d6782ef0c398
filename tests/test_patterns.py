"""Facts about wrong numbers that help without a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from grader import compare, explain
from grader.model import Answer, Mismatch, ReturnedValue, Returns, Tolerance, Value

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
    value = Value("numpy.ndarray", actual, str(actual.dtype))
    found = compare.structure(Answer("single", "numpy.ndarray", (value,)), returns, (expected,))
    result = compare.values(found, returns, (expected,), tolerance)
    assert result is not None
    telling = compare.with_patterns(result, found, returns, (expected,), tolerance)
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


def test_rows_that_add_up_over_another_axis_are_named() -> None:
    softmax_over_queries = np.exp(np.log(WEIGHTS + 0.1))
    softmax_over_queries /= softmax_over_queries.sum(1, keepdims=True)
    assert said(softmax_over_queries, WEIGHTS, HEADS) == (
        "The values do not add up to 1 over 'key', but over 'query' they do."
    )


def test_rows_that_add_up_nowhere_are_named() -> None:
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
def test_a_common_factor_is_named(factor: float, words: str) -> None:
    expected = f"Every value is {words} times the expected one."
    assert said(SCORES * factor, SCORES, TABLE) == expected


def test_a_transposed_answer_is_named() -> None:
    square = SCORES[:, :3]
    assert said(square.T, square, TABLE) == (
        "The values are right with 'query' and 'feature' exchanged."
    )


def test_a_permuted_axis_is_named_with_its_order() -> None:
    assert said(SCORES[:, [2, 0, 1, 3]], SCORES, TABLE) == (
        "The values are right, but in another order along 'feature': 2, 0, 1, 3."
    )


def test_differences_only_at_blocked_positions_are_named() -> None:
    leaking = SCORES * (SCORES > 0)
    expected = leaking.copy()
    leaking[expected == 0] = 1e-3
    assert said(leaking, expected, TABLE) == "All differences are where exactly 0 is expected."


def test_differences_above_the_diagonal_are_named() -> None:
    square = SCORES[:, :3]
    assert said(square + np.triu(np.ones((3, 3)), 1), square, TABLE) == (
        "All differences are above the diagonal."
    )


def test_differences_in_one_head_are_named() -> None:
    wrong = WEIGHTS.copy()
    wrong[1, :, :2] = wrong[1, :, 1::-1]
    assert said(wrong, WEIGHTS, HEADS) == "All differences are at head 1."


def test_differences_from_the_second_row_on_are_named() -> None:
    wrong = SCORES.copy()
    wrong[1:] += [[0.1], [0.7]]
    assert said(wrong, SCORES, TABLE) == "The differences begin at query 1; before, all is right."


def test_unrelated_numbers_have_no_pattern() -> None:
    assert said(np.cos(SCORES) * 3 + SCORES, SCORES, TABLE) == ""


def test_not_a_number_has_no_pattern() -> None:
    wrong = SCORES.copy()
    wrong[0, 0] = np.nan
    assert "patterns" not in mismatch(wrong, SCORES, TABLE).facts


@pytest.mark.parametrize("row", [[1.0, 2.0, 3.0, np.inf], [1j, 2.0, 3.0, 4.0]])
def test_beside_infinities_and_in_complex_numbers_no_pattern_is_looked_for(row: Any) -> None:
    expected = np.array(row)
    wrong = np.where(np.isfinite(expected), 2 * expected, expected)
    assert mismatch(wrong, expected, ("query",)).facts["patterns"] == []


def test_a_difference_of_exactly_what_is_allowed_is_no_part_of_a_pattern() -> None:
    wrong = SCORES.copy()
    wrong[0, 0] += 0.5
    wrong[1, 1:] += [3.0, 5.0, 9.0]
    found = mismatch(wrong, SCORES, TABLE, Tolerance(0.0, 0.5)).facts["patterns"]
    assert {"pattern": "only", "axis": 0, "index": 1} in found
