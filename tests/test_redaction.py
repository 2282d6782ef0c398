"""Of hidden cases a learner sees only whether they passed."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Ran, run_in

from grader.formats import FORMATS

SECRET = 8675309.25
LEAKY = """\
import warnings

seen = []

def twice(x):
    print("the input was", x.tolist())
    warnings.warn(f"warned of {x.tolist()}")
    seen.extend(x.tolist())
    if len(x) == 2:
        raise ValueError(f"my arguments are {x.tolist()}")
    print("seen so far", seen)
    return x + x
"""
HIDDEN = f"""\
requirement: doubles
hidden: true
cases:
  - id: secret-name
    why: A secret reason.
    arguments: {{x: [{SECRET}, 1.0]}}
"""


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with a hidden case, and a submission that tells all it sees."""
    for folder in ("problems", "cases", "solutions"):
        (tmp_path / folder).mkdir()
    assert run_in(tmp_path, "new", "twice").code == 0
    (tmp_path / "cases" / "twice" / "hidden.yaml").write_text(HIDDEN)
    (tmp_path / "solutions" / "twice.py").write_text(LEAKY)
    return tmp_path


def grade(course: Path, *more: str) -> Ran:
    return run_in(course, "grade", "-v", "--runner", "process", *more)


@pytest.mark.parametrize("format", FORMATS)
def test_no_format_tells_a_learner_what_a_hidden_case_holds(course: Path, format: str) -> None:
    ran = grade(course, "--format", format)
    assert ran.code == 1
    for secret in (str(SECRET), "8675309", "secret-name", "A secret reason", "my arguments are"):
        assert secret not in ran.out + ran.err


def test_the_requirement_still_fails_by_its_hidden_case(course: Path) -> None:
    out = grade(course).out
    assert "A hidden case is not right." in out
    assert "doubles" in out


def test_an_instructor_sees_all_with_reveal(course: Path) -> None:
    out = grade(course, "--reveal").out
    assert str(SECRET) in out
    assert "secret-name: A secret reason." in out


def test_cases_of_a_further_folder_are_hidden_by_the_flag(course: Path, tmp_path: Path) -> None:
    (course / "cases" / "twice" / "hidden.yaml").unlink()
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "more.yaml").write_text(HIDDEN.replace("hidden: true\n", ""))
    assert str(SECRET) in grade(course, "--cases", str(folder)).out
    assert str(SECRET) not in grade(course, "--cases", str(folder), "--hidden").out
