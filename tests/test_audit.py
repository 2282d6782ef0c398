"""The audit reports the faults of a set of cases, and none for a sound set."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Ran, run_in

HEAD = """\
import numpy as np
from grader.model import Alternative, Misconception


def idea(id, function, violates="doubles", **more):
    return Misconception(id, violates, "A hint.", function, **more)


SQUARED = idea("squared", lambda x: x**2)
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with the exercise that `grader new` writes: every element is doubled."""
    for folder in ("problems", "cases", "solutions"):
        (tmp_path / folder).mkdir()
    assert run_in(tmp_path, "new", "twice").code == 0
    return tmp_path


def audit(course: Path, *ideas: str, alternatives: str = "") -> Ran:
    """Audit the course with `SQUARED` and further misconceptions, given as Python expressions."""
    folder = course / "problems" / "twice"
    listed = ", ".join(["SQUARED", *ideas])
    (folder / "misconceptions.py").write_text(f"{HEAD}MISCONCEPTIONS = [{listed}]\n")
    if alternatives:
        (folder / "alternatives.py").write_text(f"{HEAD}ALTERNATIVES = [{alternatives}]\n")
    return run_in(course, "audit", "--reseeds", "1", columns=400)


def test_the_exercise_written_by_grader_new_is_sound(course: Path) -> None:
    ran = run_in(course, "audit")
    assert (ran.code, "✗" in ran.out) == (0, False)


def test_a_surviving_misconception_is_refused_with_an_input_that_exposes_it(course: Path) -> None:
    idea = 'idea("huge", lambda x: x * (3 if x.max() > 1e9 else 2), exposed_by="a huge number")'
    ran = audit(course, idea)
    assert ran.code == 2
    assert "no case rejects huge: add a case with a huge number" in ran.out


def test_a_misconception_rejected_by_only_one_case_is_refused(course: Path) -> None:
    ran = audit(course, 'idea("of-six", lambda x: x * (3 if len(x) == 6 else 2))')
    assert ran.code == 2
    assert "only one case rejects of-six" in ran.out


def test_a_misconception_that_fails_another_requirement_is_reported_with_it(course: Path) -> None:
    ran = audit(course, 'idea("tripled", lambda x: 3 * x, "returns")')
    assert ran.code == 2
    assert (
        "only 1 of 2 misconceptions turn exactly their own requirement red: tripled (doubles)"
        in ran.out
    )


def test_indistinguishable_misconceptions_must_be_declared_the_same(course: Path) -> None:
    ran = audit(course, 'idea("power", lambda x: np.power(x, 2))')
    assert ran.code == 2
    assert "no case tells squared from power" in ran.out


def test_misconceptions_declared_the_same_are_accepted(course: Path) -> None:
    assert audit(course, 'idea("power", lambda x: x * x, same_as="squared")').code == 0


def test_an_alternative_that_fails_a_case_is_reported(course: Path) -> None:
    ran = audit(course, alternatives='Alternative("off", lambda x: 2 * x + 1e-3)')
    assert ran.code == 2
    assert "the right implementation off does not meet doubles" in ran.out


def test_a_misconception_near_the_tolerance_is_refused_with_a_better_tolerance(
    course: Path,
) -> None:
    ran = audit(course, 'idea("nearly", lambda x: 2 * x * (1 + 3e-9))')
    assert ran.code == 2
    assert "case 'small-numbers' is in doubt: neither neutral nor clearly wrong" in ran.out
    assert "nearly 3; proposed: tolerance: {rtol: " in ran.out


def test_an_alternative_that_uses_too_much_of_the_tolerance_is_refused(course: Path) -> None:
    ran = audit(course, alternatives='Alternative("noisy", lambda x: 2 * x * (1 + 5e-10))')
    assert ran.code == 2
    assert "right answers differ by 0.5 of the tolerance" in ran.out


def test_a_fault_found_only_by_reseeding_names_the_seed(course: Path) -> None:
    drawn = 'idea("drawn", lambda x: x * (3 if len(x) != 6 or abs(x[0] - 1.62) < 0.01 else 2))'
    ran = audit(course, drawn)  # seed 1 begins with 1.62, seed 2 does not
    assert ran.code == 2
    assert re.search(r"only one case rejects drawn: .* \(--reseed 1\)", ran.out)
    assert "sound for 1 of 2 seedings" in ran.out


def test_the_json_contains_the_matrix_and_the_faults(course: Path) -> None:
    audit(course, 'idea("power", lambda x: x * x)')
    ran = run_in(course, "audit", "--reseeds", "0", "--format", "json")
    (found,) = json.loads(ran.out)["audits"]
    assert ran.code == 2
    assert found["indistinct"] == [["squared", "power"]]
    assert found["rows"][0]["rejecting"]["doubles"] == ["small-numbers", "drawn-numbers"]


# --- trivial answers ------------------------------------------------------------------------------

THRESHOLDS = """\
requirement: doubles
cases:
  - {id: first, why: A case of the test., arguments: {x: %s}%s}
  - {id: second, why: A case of the test., arguments: {x: %s}%s}
"""


def audit_of(course: Path, *inputs: str, options: str = "") -> Ran:
    """Audit the course with these two inputs as the cases of the only requirement on values."""
    first, second = inputs
    text = THRESHOLDS % (first, options, second, options)
    (course / "cases" / "twice" / "doubles.yaml").write_text(text)
    return audit(course)


def test_the_audit_says_how_many_trivial_answers_it_tried(course: Path) -> None:
    ran = audit(course)
    assert ran.code == 0
    assert "14 trivial answers, in every combination, meet no requirement" in ran.out


@pytest.mark.parametrize(
    ("inputs", "options", "answer"),
    [
        (("[0.0, 0.0]", "[0.0]"), "", "zeros"),
        (("[0.5, 0.5]", "[0.5]"), "", "ones"),
        (("[-0.5, -0.5]", "[-0.5]"), "", "-1 everywhere"),
        (
            ("[9000.0, 9001.0]", "[8999.0]"),
            ", tolerance: {rtol: 0.0, atol: 9.0e+3}",
            "9999 everywhere",
        ),
        (("[0.25, 0.25]", "[0.5]"), "", "equal shares"),
        (("[3.0]", "[3.0]"), "", "the first case's answer"),
    ],
)
def test_a_trivial_answer_that_meets_a_requirement_is_refused(
    course: Path, inputs: tuple[str, str], options: str, answer: str
) -> None:
    if answer == "the first case's answer":  # the first file in the order of names
        (course / "cases" / "twice" / "returns.yaml").rename(course / "cases" / "twice" / "z.yaml")
    ran = audit_of(course, *inputs, options=options)
    assert ran.code == 2
    sentence = f"a submission that returns {answer} as doubled meets 'doubles': add a case"
    assert sentence in ran.out
    assert "meet 1 requirement undeservedly" in ran.out


def test_an_input_that_is_the_answer_is_refused(course: Path) -> None:
    (course / "problems" / "twice" / "reference.py").write_text(
        "def twice(x):\n    return abs(x)\n"
    )
    ran = audit_of(course, "[1.0, 2.0]", "[3.0]")
    assert "a submission that returns x as doubled meets 'doubles'" in ran.out


def test_one_case_that_every_trivial_answer_fails_is_enough(course: Path) -> None:
    ran = audit_of(course, "[0.0, 0.0]", "[1.5, 7.0]")
    assert "a submission that returns zeros" not in ran.out


def test_zeros_may_meet_a_requirement_of_structure_alone(course: Path) -> None:
    ran = audit(course)
    assert "meets 'returns'" not in ran.out


TWO_VALUES = """\
title: Twice
entry_point: twice
parameters: [x]
returns:
  - {name: doubled, axes: [position]}
  - {name: sum, axes: []}
tolerance: {rtol: 1.0e-9, atol: 1.0e-12}
requirements:
  - {id: returns, says: "Returns an array and a number.", checks: structure}
  - {id: doubles, says: "Every element is doubled.", needs: [returns]}
hints: []
"""


def test_a_combination_of_two_trivial_values_is_found(course: Path) -> None:
    folder = course / "problems" / "twice"
    (folder / "problem.yaml").write_text(TWO_VALUES)
    (folder / "reference.py").write_text(
        "import numpy as np\n\n\ndef twice(x):\n    return 2 * x, np.array(x.size * 0.5)\n"
    )
    (folder / "alternatives.py").unlink()
    ran = audit_of(course, "[0.0, 0.0]", "[0.0, 0.0]")
    assert "returns zeros as doubled and ones as sum meets 'doubles'" in ran.out


def test_the_json_names_trivial_answers_and_what_they_meet(course: Path) -> None:
    audit_of(course, "[0.0, 0.0]", "[0.0]")
    ran = run_in(course, "audit", "--reseeds", "0", "--format", "json")
    (found,) = json.loads(ran.out)["audits"]
    assert found["trivials"] == 13
    assert found["undeserved"] == [{"requirement": "doubles", "returned": [["doubled", "zeros"]]}]


def test_none_stands_for_a_value_that_does_not_prove_the_requirement(course: Path) -> None:
    folder = course / "problems" / "twice"
    proves = TWO_VALUES.replace("needs: [returns]}", "needs: [returns], proves: [doubled]}")
    (folder / "problem.yaml").write_text(proves)
    (folder / "reference.py").write_text(
        "import numpy as np\n\n\ndef twice(x):\n    return 2 * x, np.array(x.size * 7.0)\n"
    )
    (folder / "alternatives.py").unlink()
    ran = audit_of(course, "[0.0, 0.0]", "[0.0]")
    assert "returns zeros as doubled and None as sum meets 'doubles'" in ran.out


# --- thresholds: each rule refuses just beyond its limit and accepts just within it --------------


@pytest.mark.parametrize(
    ("ratio", "is_sound"), [(0.05, True), (0.2, False), (9, False), (11, True)]
)
def test_a_wrong_answer_is_neutral_below_a_tenth_and_clear_above_ten_times_the_tolerance(
    course: Path, ratio: float, is_sound: bool
) -> None:
    # Two other cases, with numbers below 0, reject it clearly.
    wrong = f"lambda x: np.where(x < 0, 9.0, 2 * x * (1 + {ratio}e-9))"
    text = THRESHOLDS % ("[3.0, 1.5]", "", "[1.0, 7.5]", "")
    (course / "cases" / "twice" / "doubles.yaml").write_text(text + ONE_BELOW_ZERO)
    ran = audit(course, f'idea("nearly", {wrong})')
    assert ("case 'first' is in doubt" not in ran.out) == is_sound


ONE_BELOW_ZERO = """\
  - {id: below, why: A case of the test., arguments: {x: [-3.0]}}
  - {id: lower, why: A case of the test., arguments: {x: [-4.0]}}
"""


@pytest.mark.parametrize(("ratio", "is_sound"), [(0.05, True), (0.2, False)])
def test_a_right_answer_must_stay_within_a_tenth_of_the_tolerance(
    course: Path, ratio: float, is_sound: bool
) -> None:
    noisy = f'Alternative("noisy", lambda x: 2 * x * (1 + {ratio}e-9))'
    assert (audit(course, alternatives=noisy).code == 0) == is_sound


@pytest.mark.parametrize(("inexact", "is_sound"), [(1, True), (2, False)])
def test_19_of_20_misconceptions_must_turn_exactly_their_own_requirement_red(
    course: Path, inexact: int, is_sound: bool
) -> None:
    exact = [f'idea("exact-{n}", lambda x: x * {n})' for n in range(3, 22 - inexact)]
    others = [f'idea("other-{n}", lambda x: x * {n}, "returns")' for n in range(50, 50 + inexact)]
    ran = audit(course, *exact, *others)
    assert f"exactness: {20 - inexact} of 20" in ran.out
    assert (ran.code == 0) == is_sound


GENERAL = """\
requirement: together
cases:
  - {id: general, why: A case of the test., arguments: {x: [%s]}}
  - {id: more, why: A case of the test., arguments: {x: {normal: {shape: [3], seed: 5}}}}
"""


def audit_with_general_cases(course: Path, number: str, idea: str) -> Ran:
    """Audit the course with a requirement `together`, whose first case begins with a number."""
    problem = course / "problems" / "twice" / "problem.yaml"
    together = '  - {id: together, says: "All together.", needs: [doubles]}\nhints:'
    problem.write_text(problem.read_text().replace("hints:", together))
    (course / "cases" / "twice" / "together.yaml").write_text(GENERAL % f"{number}, 7.0")
    return audit(course, idea)


def test_the_general_cases_alone_must_reject_the_misconceptions(course: Path) -> None:
    only_of_six = 'idea("of-three", lambda x: x * (3 if len(x) in (1, 6) or x[1] == -1 else 2))'
    ran = audit_with_general_cases(course, "1.5", only_of_six)
    assert "the cases of 'together' alone reject only 1 of 2 misconceptions" in ran.out
    assert "isolating cases alone reject only" not in ran.out


def test_the_isolating_cases_alone_must_reject_the_misconceptions(course: Path) -> None:
    only_general = 'idea("of-1.5", lambda x: x * (3 if x[0] == 1.5 or x[0] < -2 else 2))'
    ran = audit_with_general_cases(course, "1.5", only_general)
    assert "the isolating cases alone reject only 1 of 2 misconceptions" in ran.out
    assert "'together' alone reject only" not in ran.out
