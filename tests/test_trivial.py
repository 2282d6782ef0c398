"""Files that solve nothing meet only the requirements in their headers (`# met:`)."""

from __future__ import annotations

import pytest
from attack_range import SLUG, Attack, attacks
from conftest import REPOSITORY

from grader.catalog import Course
from grader.model import Verdict
from grader.pipeline import ProblemGrader
from grader.runners.inprocess import InProcessRunner

TRIVIAL = [attack for attack in attacks() if "met" in attack.header]
GRADER = ProblemGrader(Course(REPOSITORY), SLUG)


@pytest.mark.parametrize("attack", TRIVIAL, ids=lambda attack: attack.name)
def test_an_answer_that_solves_nothing_meets_what_its_header_says(attack: Attack) -> None:
    with InProcessRunner() as runner:
        report = GRADER.grade(attack.path, runner)
    met = {r.requirement.id for r in report.requirements if r.verdict is Verdict.PASSED}
    assert met == {*attack.said("met").split()}


def test_a_trivial_answer_meets_only_the_requirements_of_its_header() -> None:
    """A step left out may leave others right; the example may be known."""
    headers = [a.said("met") for a in TRIVIAL if a.kind.startswith("trivial answer")]
    assert len(headers) >= 9
    assert set(headers) == {"returns", "returns example"}
