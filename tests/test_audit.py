"""The audit says what is wrong with a set of cases, and nothing when nothing is."""

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
    """A course with the one exercise that `grader new` writes: every element is doubled."""
    for folder in ("problems", "cases", "solutions"):
        (tmp_path / folder).mkdir()
    assert run_in(tmp_path, "new", "twice").code == 0
    return tmp_path


def audit(course: Path, *ideas: str, alternatives: str = "") -> Ran:
    """Audit the course with these wrong ideas, as Python expressions, beside `SQUARED`."""
    folder = course / "problems" / "twice"
    listed = ", ".join(["SQUARED", *ideas])
    (folder / "misconceptions.py").write_text(f"{HEAD}MISCONCEPTIONS = [{listed}]\n")
    if alternatives:
        (folder / "alternatives.py").write_text(f"{HEAD}ALTERNATIVES = [{alternatives}]\n")
    return run_in(course, "audit", "--reseeds", "1", columns=400)


def test_the_exercise_that_new_writes_is_sound(course: Path) -> None:
    ran = run_in(course, "audit")
    assert (ran.code, "✗" in ran.out) == (0, False)


def test_a_survivor_is_refused_with_the_input_that_would_expose_it(course: Path) -> None:
    idea = 'idea("huge", lambda x: x * (3 if x.max() > 1e9 else 2), exposed_by="a huge number")'
    ran = audit(course, idea)
    assert ran.code == 2
    assert "no case rejects huge: add a case with a huge number" in ran.out


def test_an_idea_that_only_one_case_rejects_is_refused(course: Path) -> None:
    ran = audit(course, 'idea("of-six", lambda x: x * (3 if len(x) == 6 else 2))')
    assert ran.code == 2
    assert "only one case rejects of-six" in ran.out


def test_an_idea_that_turns_another_line_red_is_told_with_it(course: Path) -> None:
    ran = audit(course, 'idea("tripled", lambda x: 3 * x, "returns")')
    assert ran.code == 2
    assert "only 1 of 2 misconceptions turn just their own line red: tripled (doubles)" in ran.out


def test_two_ideas_that_no_case_tells_apart_must_be_declared_the_same(course: Path) -> None:
    ran = audit(course, 'idea("power", lambda x: np.power(x, 2))')
    assert ran.code == 2
    assert "no case tells squared from power" in ran.out


def test_ideas_that_are_declared_the_same_are_no_fault(course: Path) -> None:
    assert audit(course, 'idea("power", lambda x: x * x, same_as="squared")').code == 0


def test_a_right_implementation_that_is_failed_is_told(course: Path) -> None:
    ran = audit(course, alternatives='Alternative("off", lambda x: 2 * x + 1e-3)')
    assert ran.code == 2
    assert "the right implementation off does not meet doubles" in ran.out


def test_a_wrong_answer_near_the_tolerance_is_refused_with_one_that_fits(course: Path) -> None:
    ran = audit(course, 'idea("nearly", lambda x: 2 * x * (1 + 3e-9))')
    assert ran.code == 2
    assert "case 'small-numbers' is refused: neither neutral nor clearly wrong" in ran.out
    assert "nearly 3; proposed: tolerance: {rtol: " in ran.out


def test_right_answers_that_differ_too_much_are_refused(course: Path) -> None:
    ran = audit(course, alternatives='Alternative("noisy", lambda x: 2 * x * (1 + 5e-10))')
    assert ran.code == 2
    assert "right answers differ by 0.5 of the tolerance" in ran.out


def test_what_only_another_seeding_shows_is_told_with_the_seeding(course: Path) -> None:
    drawn = 'idea("drawn", lambda x: x * (3 if len(x) != 6 or abs(x[0] - 1.62) < 0.01 else 2))'
    ran = audit(course, drawn)  # seed 1 begins with 1.62, seed 2 does not
    assert ran.code == 2
    assert re.search(r"only one case rejects drawn: .* \(--reseed 1\)", ran.out)
    assert "sound for 1 of 2 seedings" in ran.out


def test_the_json_has_the_matrix_and_what_is_wrong(course: Path) -> None:
    audit(course, 'idea("power", lambda x: x * x)')
    ran = run_in(course, "audit", "--reseeds", "0", "--format", "json")
    (found,) = json.loads(ran.out)["audits"]
    assert ran.code == 2
    assert found["indistinct"] == [["squared", "power"]]
    assert found["rows"][0]["rejecting"]["doubles"] == ["small-numbers", "drawn-numbers"]
