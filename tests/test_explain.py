"""The sentences for learners, from real answers: kind of mismatch, place, numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_problem import answer_with

from grader import compare, explain
from grader.errors import Location
from grader.model import (
    Call,
    Case,
    CaseResult,
    Checks,
    Execution,
    Failure,
    Frame,
    Mismatch,
    Outcome,
    Reason,
    Refusal,
    Requirement,
    RequirementResult,
    ReturnedValue,
    Returns,
    Tolerance,
    Verdict,
)
from grader.runners import inprocess

OUTPUT = ReturnedValue("output", ("query", "feature"), "float64")
WEIGHTS = ReturnedValue("weights", ("head", "query", "key"))
ONE, TWO = Returns("single", (OUTPUT,)), Returns("tuple", (OUTPUT, WEIGHTS))
NAMED = Returns("dictionary", (OUTPUT, WEIGHTS))
Y = np.arange(12.0).reshape(3, 4)
W = np.full((2, 3, 3), 0.25)
CASE = Case("a-case", "scale", "Why.", {}, Location("cases/x/scale.yaml"))


def mismatch(
    returned: Any, returns: Returns = ONE, checks: Checks = "values", expected: Any = None
) -> Mismatch:
    """Return the mismatch of a returned object when Y, or Y and W, are expected."""
    call = Call("a-case", "scale", ())
    answer = inprocess.execute(lambda: returned, returns, [call])["a-case"].answer
    assert answer is not None
    right = answer_with(*(expected if expected is not None else (Y, W)[: len(returns.values)]))
    found = compare.structure(answer, returns, right)
    tolerance = Tolerance(1e-6, 1e-8)
    wrong = found.mismatch or compare.values(found, returns, right, tolerance, checks)
    assert wrong is not None
    return compare.with_patterns(wrong, found, returns, right, tolerance)


def said(returned: Any, *arguments: Any, **options: Any) -> str:
    """Return the headline about a returned object."""
    return explain.headline(mismatch(returned, *arguments, **options))


HEADLINES = [
    ((Y, W), ONE, "Expected one array (output), got a tuple of 2 values."),
    ((Y,), ONE, "Expected one array (output), got a tuple of 1 value."),
    ({"output": Y}, ONE, "Expected one array (output), got a dict of 1 value."),
    (Y, TWO, "Expected a tuple (output, weights), got one numpy.ndarray."),
    (None, TWO, "Expected a tuple (output, weights), got None: is a return missing?"),
    ((Y, W), NAMED, "Expected a dictionary with 'output', 'weights', got a tuple of 2 values."),
    ((Y,), TWO, "Expected 2 values (output, weights), got 1 value."),
    ((Y, W, W), TWO, "Expected 2 values (output, weights), got 3 values."),
    ({"output": Y}, NAMED, "The dictionary has no 'weights'."),
    (
        {"out": Y, "weights": W},
        NAMED,
        "The dictionary has no 'output' and has the unknown 'out'.",
    ),
    (None, ONE, "output is not an array of numbers: None: is a return missing?"),
    ("Y", ONE, "output is not an array of numbers: text."),
    (Y.astype(object), ONE, "output is not an array of numbers: an array of Python objects"
     " (dtype=object)."),
    (np.zeros, ONE, "output is not an array of numbers: a function: are the parentheses of"
     " a call missing?"),
    (Y.T, ONE, "output has the wrong shape: expected (query 3, feature 4), got (4, 3):"
     " transposed?"),
    (Y[0], ONE, "output has the wrong shape: expected (query 3, feature 4), got (4,): the axis"
     " 'query' is missing."),
    (Y[None], ONE, "output has the wrong shape: expected (query 3, feature 4), got (1, 3, 4): an"
     " axis of length 1 too many."),
    (Y[:2], ONE, "output has the wrong shape: expected (query 3, feature 4), got (2, 4): the"
     " length of 'query' differs."),
    (Y.reshape(2, 6), ONE, "output has the wrong shape: expected (query 3, feature 4), got (2, 6):"
     " the elements are there, but reshaped."),
    (np.zeros((5, 7)), ONE, "output has the wrong shape: expected (query 3, feature 4), got"
     " (5, 7)."),
    (1.0, ONE, "output has the wrong shape: expected (query 3, feature 4), got a single number."),
    ((Y, W.transpose(1, 0, 2)), TWO, "weights has the wrong shape: expected (head 2, query 3,"
     " key 3), got (3, 2, 3): are the axes in another order?"),
    ((W, Y), TWO, "output has the wrong shape: expected (query 3, feature 4), got (2, 3, 3): the"
     " shape of weights; are the values in another order?"),
    ((W[0] @ W[0], W), TWO, "output has the wrong shape: expected (query 3, feature 4), got (3, 3):"
     " the length of 'feature' differs."),
    (Y * np.nan, ONE, "output is NaN in all 12 elements."),
    (np.where(Y > 9, np.inf, Y), ONE, "output is infinity in 2 of 12 elements."),
    (Y + 1j, ONE, "output has complex numbers in all 12 elements."),
    (Y + 1, ONE, "output differs in all 12 elements."),
    (Y * (Y != 5), ONE, "output differs in 1 of 12 elements."),
    ((Y, W + (W * 0 + 1).cumsum(2) * 0.1), TWO, "weights differs in all 18 elements."),
]  # fmt: skip


@pytest.mark.parametrize(("returned", "returns", "sentence"), HEADLINES)
def test_the_headline_states_the_kind_of_mismatch(
    returned: Any, returns: Returns, sentence: str
) -> None:
    assert said(returned, returns) == sentence


def test_a_dtype_mismatch_names_the_returned_type() -> None:
    promised = "expected a numpy.ndarray of float64."
    assert (
        said(Y.astype("f4"), checks="dtype") == f"output is a numpy.ndarray of float32, {promised}"
    )
    assert said(Y.tolist(), checks="dtype") == f"output is a list, {promised}"


def test_a_finite_number_instead_of_infinity_is_said_to_differ() -> None:
    wrong = mismatch(Y, expected=(np.where(Y > 9, np.inf, Y),))
    assert wrong.kind == "nonfinite"
    assert explain.headline(wrong) == "output differs in 2 of 12 elements."


def test_a_single_number_is_called_the_only_element() -> None:
    returns = Returns("single", (ReturnedValue("loss", ()),))
    wrong = mismatch(2.0, returns, expected=(np.array(1.0),))
    assert explain.headline(wrong) == "loss differs in its only element."
    assert explain.details(wrong)[0] == "first at    loss"


def test_details_show_place_and_numbers_in_a_column() -> None:
    weights = W.copy()
    weights[1, 0, 2] = 0.75
    weights[1, 2, 1] = 0.9
    assert explain.details(mismatch((Y, weights), TWO)) == [
        "first at    weights[head 1, query 0, key 2]",
        "got         0.75",
        "expected    0.25",
        "difference  0.5",
        "allowed     2.6e-07",
        "greatest    0.65 at weights[head 1, query 2, key 1]",
        "All differences are at head 1.",
    ]


def test_structure_mismatches_have_no_details() -> None:
    assert explain.details(mismatch(Y.T)) == []
    assert explain.details(mismatch(None)) == []


@pytest.mark.parametrize(
    ("got", "expected", "words"),
    [
        (0.5, 0.25, ("0.5", "0.25")),
        (1.0, 1.0000001, ("1", "1.0000001")),
        (0.1 + 0.2, 0.3, ("0.30000000000000004", "0.3")),
        (1234567.0, 1234568.0, ("1234567", "1234568")),
        (float("nan"), 1.0, ("nan", "1")),
        (float("-inf"), -1e-9, ("-inf", "-1e-09")),
        (True, 0.0, ("True", "0")),
        (2**53 + 1, 2**53, ("9007199254740993", "9007199254740992")),
        (1 + 2j, 1.0, ("1+2j", "1")),
    ],
)
def test_two_numbers_have_enough_digits_to_differ(
    got: Any, expected: Any, words: tuple[str, str]
) -> None:
    assert explain.two_numbers(got, expected) == words


@pytest.mark.parametrize(
    ("index", "axes", "words"),
    [
        ((), (), "p"),
        ((3,), ("row",), "p[row 3]"),
        ((3, 0), ("row", "column"), "p[row 3, column 0]"),
        ((3, 0), (), "p[3, 0]"),
    ],
)
def test_a_place_shows_axis_names_where_they_are_known(
    index: tuple[int, ...], axes: tuple[str, ...], words: str
) -> None:
    assert explain.place("p", axes, index) == words


@pytest.mark.parametrize(
    ("shape", "axes", "words"),
    [
        ((), (), "a single number"),
        ((3,), (), "(3,)"),
        ((3, 4), (), "(3, 4)"),
        ((3, 4), ("query", "feature"), "(query 3, feature 4)"),
        ((3,), ("query",), "(query 3)"),
    ],
)
def test_a_shape_is_described_with_axis_names(
    shape: tuple[int, ...], axes: tuple[str, ...], words: str
) -> None:
    assert explain.shape_words(shape, axes) == words


def result(
    outcome: Outcome,
    failure: Failure | None = None,
    verdict: Verdict = Verdict.ERRORED,
    **more: Any,
) -> CaseResult:
    return CaseResult(CASE, verdict, Execution(outcome, failure=failure), **more)


def test_an_exception_is_shown_with_message_learner_frames_and_hint() -> None:
    frames = (
        Frame("solutions/a.py", 3, "attention", "    return helper(Q)"),
        Frame("solutions/a.py", 9, "helper", "Q @ K"),
    )
    failure = Failure("exception", "EOFError", "shapes differ\nsecond line", frames)
    assert explain.message(result(Outcome.RAISED, failure)).splitlines() == [
        "EOFError: shapes differ",
        "  second line",
        "  solutions/a.py, line 3, in attention",
        "    return helper(Q)",
        "  solutions/a.py, line 9, in helper",
        "    Q @ K",
        "input() waits for a keyboard, and there is none while grading. Remove it.",
    ]


def test_repeated_frames_of_a_recursion_are_counted() -> None:
    frame = Frame("a.py", 2, "f", "return f()")
    frames = (Frame("a.py", 5, "g", "f()"), *[frame] * 15)
    failure = Failure("exception", "RecursionError", "too deep", frames)
    assert explain.message(result(Outcome.RAISED, failure)).splitlines()[1:-1] == [
        "  a.py, line 5, in g",
        "    f()",
        "  a.py, line 2, in f",
        "    return f()",
        "  ... and 14 more of the same",
    ]


@pytest.mark.parametrize(
    ("outcome", "failure", "first"),
    [
        (Outcome.RAISED, Failure("exception", "KeyError"), "KeyError"),
        (Outcome.RAISED, Failure("exception", ""), "the call returned nothing"),
        (Outcome.CRASHED, Failure("signal", facts={"signal": "SIGABRT"}), "crashed: it aborted"),
        (Outcome.CRASHED, None, "the call returned nothing"),
        (Outcome.MEMORY, Failure("memory", facts={"limit_mb": 9}), "ran out of memory (limit 9"),
    ],
)
def test_a_message_starts_with_how_the_call_ended(
    outcome: Outcome, failure: Failure | None, first: str
) -> None:
    assert explain.message(result(outcome, failure)).startswith(first)


def test_a_passed_case_has_no_message() -> None:
    assert explain.message(result(Outcome.RETURNED, verdict=Verdict.PASSED)) == ""


def test_a_skipped_case_has_its_reason_as_message() -> None:
    skipped = result(Outcome.NOT_RUN, verdict=Verdict.SKIPPED, reason=Reason("waits", ("softmax",)))
    assert explain.message(skipped) == "waits for softmax"


def waiting(**options: Any) -> str:
    """Return the sentence about a skipped requirement."""
    requirement = Requirement("scale", "Scores are scaled.")
    return explain.waiting(RequirementResult(requirement, Verdict.SKIPPED, **options))


def test_a_skipped_requirement_names_the_requirements_it_waits_for() -> None:
    assert waiting(cases=(), waits_for=("softmax", "mask")) == "waits for softmax, mask"
    for values, text in (
        (("output",), "needs output in the right shape"),
        (("output", "weights"), "needs output and weights in the right shapes"),
    ):
        reason = Reason("structure", values=values)
        skipped = result(Outcome.RETURNED, verdict=Verdict.SKIPPED, reason=reason)
        assert waiting(cases=(skipped,)) == text
    assert waiting(cases=()) == "not judged"


def test_a_caret_marks_the_column_of_a_syntax_error() -> None:
    failure = Failure("syntax", "TabError", "inconsistent use of tabs")
    refusal = Refusal("syntax", failure, 7, 12, "    return X +")
    assert explain.refusal_lines(refusal) == [
        "TabError: inconsistent use of tabs",
        "  line 7: return X +",
        "                 ^",
        "Indent with spaces only.",
    ]


def test_a_missing_axis_is_named_when_the_other_lengths_agree() -> None:
    square = np.zeros((3, 3))
    found = mismatch((square, W[0]), TWO, expected=(square, W[:1]))
    assert found.facts["shape_of"] == "output"
    assert explain.headline(found).endswith("got (3, 3): the axis 'head' is missing.")


def test_a_refusal_while_loading_shows_its_frame_once() -> None:
    frames = (Frame("a.py", 2, "<module>", "import torch"),)
    failure = Failure("loading", "ModuleNotFoundError", "no torch", frames)
    refusal = Refusal("import", failure, 2, None, "import torch")
    assert explain.refusal_lines(refusal) == [
        "ModuleNotFoundError: no torch",
        "  a.py, line 2, in <module>",
        "    import torch",
    ]
    facts = {"doing": "loading", "seconds": 5.0, "in_python": True}
    late = Refusal("timeout", Failure("timeout", frames=frames, facts=facts), 2)
    assert explain.refusal_lines(late) == [
        "loading the file did not finish within 5 s; it was stopped at a.py, line 2, in <module>",
        "    import torch",
    ]


def test_a_refusal_without_source_text_has_its_line_number() -> None:
    unexpected = Failure("language", facts={"language": "r"})
    message = "the notebook is written in r, not in Python"
    assert explain.refusal_lines(Refusal("notebook", unexpected, 3)) == [message, "  line 3"]
    assert explain.refusal_lines(Refusal("notebook", unexpected)) == [message]


def test_every_kind_of_mismatch_has_a_sentence() -> None:
    told = {mismatch(returned, returns).kind for returned, returns, _ in HEADLINES} | {"dtype"}
    assert told == set(compare.KINDS)


def test_the_summary_of_a_refusal_says_cell_and_line() -> None:
    frames = (Frame("a.ipynb", 2, "<module>", "1 / 0", cell=3),)
    failure = Failure("loading", "ZeroDivisionError", "division by zero", frames)
    summary = "ZeroDivisionError: division by zero"
    for refusal, place in (
        (Refusal("import", failure, 2, cell=3), " (cell 3, line 2)"),
        (Refusal("import", failure, 2), " (line 2)"),
        (Refusal("import", failure), ""),
    ):
        assert explain.refusal_summary(refusal) == summary + place
