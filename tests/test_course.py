"""The shipped exercises: files sound, published numbers right, misconceptions rejected."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY, SLUGS, STARTERS, copy_shipped, run_in, write_files

from grader import checking, compare, dependencies, grading
from grader.audit import Audit
from grader.catalog import Course
from grader.commands.audit import audit_slug
from grader.model import Problem, Run
from grader.runners import inprocess

COURSE = Course(REPOSITORY)
REQUIREMENTS = {
    "multi_head_attention": (
        "example", "returns", "projections", "head-columns", "scale", "softmax", "concatenation",
        "output-projection", "mask", "together", "stability",
    ),
    "batched_multi_head_attention": (
        "examples", "returns", "float64", "projections", "head-split", "scale", "softmax",
        "concatenation", "output-projection", "lengths", "batch", "together", "stability",
    ),
}  # fmt: skip
"""The requirements' ids in order; other tools use them."""
EXAMPLES = {"example", "examples"}


@pytest.fixture(scope="module", params=SLUGS)
def prepared(request: pytest.FixtureRequest) -> grading.PreparedProblem:
    """Each exercise with the reference's answers."""
    problem = COURSE.load(request.param)
    return grading.prepare(problem, COURSE.reference(problem))


def test_the_course_contains_the_two_shipped_exercises() -> None:
    assert set(SLUGS) <= set(COURSE.slugs)


def test_the_shipped_exercises_are_sound() -> None:
    ran = run_in(REPOSITORY, "check", *SLUGS, "--no-starters")
    assert (ran.code, ran.err) == (0, "")


def test_requirement_ids_are_unchanged_and_ordered(prepared: grading.PreparedProblem) -> None:
    problem = prepared.problem
    assert tuple(r.id for r in problem.requirements) == REQUIREMENTS[problem.slug]
    assert [r.id for r in problem.requirements if r.bonus] == ["stability"]
    assert problem.entry_point == "multi_head_attention"


def test_every_requirement_except_the_example_has_at_least_two_cases(
    prepared: grading.PreparedProblem,
) -> None:
    counts = Counter(case.requirement for case in prepared.problem.cases)
    for requirement in prepared.problem.requirements:
        assert counts[requirement.id] >= (1 if requirement.id in EXAMPLES else 2), requirement.id


def test_every_case_has_a_different_reason(
    prepared: grading.PreparedProblem,
) -> None:
    reasons = [case.why for case in prepared.problem.cases]
    assert len(set(reasons)) == len(reasons)
    assert all(len(reason) >= 20 for reason in reasons)


def test_both_exercises_have_the_same_files() -> None:
    mistakes = {
        f"mistakes_with_{part}.py" for part in ("heads", "projections", "returns", "scores")
    }
    common = {"misconceptions.py", "steps.py", "alternatives.py", "reference.py", *mistakes}
    for slug in SLUGS:
        assert common <= {path.name for path in (REPOSITORY / "problems" / slug).iterdir()}


# --- published numbers ---------------------------------------------------------------------------

PUBLISHED = {"multi_head_attention": 12, "batched_multi_head_attention": 36}


def published(problem: Problem) -> dict[str, dict[str, Any]]:
    """Return the published values of a problem's cases."""
    return {case.id: dict(case.published.values) for case in problem.cases if case.published}


def test_the_reference_rounds_to_every_published_number(prepared: grading.PreparedProblem) -> None:
    problem, agreed = prepared.problem, 0
    for case in problem.cases:
        if case.published is None:
            continue
        found = dict(
            zip(
                [v.name for v in problem.returns.values],
                map(compare.array_of, prepared.answer(case).values),
                strict=True,
            )
        )
        for name, values in case.published.values.items():
            assert np.shape(values) == found[name].shape
            for right, number in zip(found[name].ravel(), np.ravel(values), strict=True):
                assert checking.rounds_to(right, number, case.published.decimals)
                agreed += 1
    assert agreed == PUBLISHED[problem.slug]


def test_the_identity_example_publishes_output_and_weights() -> None:
    values = published(COURSE.load("multi_head_attention"))
    (example,) = values.values()
    assert example == {
        "output": [[0.73105858, 0.5], [0.5, 0.73105858]],
        "weights": [
            [[0.73105858, 0.26894142], [0.5, 0.5]],
            [[0.5, 0.5], [0.26894142, 0.73105858]],
        ],
    }


def test_the_batched_examples_have_the_published_shapes() -> None:
    shapes = {np.shape(v["output"]) for v in published(COURSE.load(SLUGS[1])).values()}
    assert shapes == {(1, 3, 4), (1, 2, 4), (2, 2, 4)}


# --- right implementations -----------------------------------------------------------------------


def alternatives() -> list[Any]:
    """Return every alternative of every exercise as a test's parameters."""
    return [
        pytest.param(slug, alternative, id=f"{slug}-{alternative.id}")
        for slug in SLUGS
        for alternative in COURSE.alternatives(COURSE.load(slug))
    ]


@pytest.fixture(scope="module")
def prepared_problems() -> dict[str, grading.PreparedProblem]:
    """The exercises, for two ways to seed the inputs."""
    found = {}
    for slug in SLUGS:
        problem = COURSE.load(slug)
        for reseed in (0, 5):
            found[f"{slug}-{reseed}"] = grading.prepare(problem, COURSE.reference(problem), reseed)
    return found


@pytest.mark.parametrize(("slug", "alternative"), alternatives())
def test_a_right_implementation_meets_every_requirement(
    slug: str, alternative: Any, prepared_problems: dict[str, grading.PreparedProblem]
) -> None:
    for reseed in (0, 5):
        prepared = prepared_problems[f"{slug}-{reseed}"]
        run = Run(
            inprocess.execute(alternative.implementation, prepared.problem.returns, prepared.calls)
        )
        results = grading.judge(prepared, run)
        assert [r.requirement.id for r in results if not dependencies.is_met(r)] == []


@pytest.mark.parametrize(
    ("part", "met"),
    [
        ((None, "weights"), set()),
        (("zeros", "weights"), set()),
        (("output", None), {"projections", "head-columns", "scale", "concatenation"}),
        (("output",), {"projections", "head-columns", "scale", "concatenation"}),
    ],
)
def test_a_requirement_is_met_only_by_the_values_that_prove_it(
    part: tuple[str | None, ...], met: set[str]
) -> None:
    """The first answer once got 9 of 10 points, though no output was ever computed."""
    problem = COURSE.load("multi_head_attention")
    prepared = grading.prepare(problem, COURSE.reference(problem))
    right = COURSE.reference(problem)

    def answer(*arguments: Any) -> Any:
        output, weights = right(*arguments)
        values = {"output": output, "weights": weights, "zeros": np.zeros(3), None: None}
        return tuple(map(values.get, part)) if len(part) > 1 else values[part[0]]

    run = Run(inprocess.execute(answer, problem.returns, prepared.calls))
    results = {r.requirement.id: r for r in grading.judge(prepared, run)}
    more = {"output-projection", "stability"} if met else set()
    assert {id for id, result in results.items() if dependencies.is_met(result)} == met | more
    assert {id for id, result in results.items() if dependencies.is_red(result)} == {"returns"}


def test_each_exercise_has_at_least_10_alternatives() -> None:
    for slug in SLUGS:
        assert len(COURSE.alternatives(COURSE.load(slug))) >= 10


def test_starters_are_sound_and_not_started(tmp_path: Path) -> None:
    copy_shipped(tmp_path)
    ran = run_in(tmp_path, "check")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("the starter fails") == len(SLUGS)
    assert run_in(tmp_path, "grade").out.count("Not started yet") == len(SLUGS)
    for path in STARTERS.glob("*.py"):
        assert "raise NotImplementedError" in path.read_text("utf-8")


# --- what learners and authors add ----------------------------------------------------------------


def test_checks_do_not_depend_on_solved_and_new_exercises(tmp_path: Path) -> None:
    copy_shipped(tmp_path)
    assert run_in(tmp_path, "new", "running_mean").code == 0
    for name, slug in (("right-loops", SLUGS[0]), ("batched-right-loops", SLUGS[1])):
        shutil.copy(REPOSITORY / f"tests/data/submissions/{name}/{slug}.py", tmp_path / "solutions")
    assert "the starter passes" in run_in(tmp_path, "check").err
    ran = run_in(tmp_path, "check", "--no-starters")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count(" requirements, ") == len(SLUGS) + 1


def test_the_linter_ignores_solutions(tmp_path: Path) -> None:
    shutil.copy(REPOSITORY / "pyproject.toml", tmp_path)
    write_files(tmp_path, {"solutions/mine.py": "import os,sys\n", "other.py": "import os,sys\n"})
    for command in (["check"], ["format", "--check"]):
        ran = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--no-cache", "."],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "other.py" in ran.stdout + ran.stderr
        assert "mine.py" not in ran.stdout + ran.stderr


# --- wrong ideas ---------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=SLUGS)
def audits(request: pytest.FixtureRequest) -> list[Audit]:
    """The audits of each exercise, for the shipped inputs and one other seeding."""
    return audit_slug(REPOSITORY, request.param, range(2))


def test_every_misconception_is_rejected_and_the_audit_finds_no_fault(audits: list[Audit]) -> None:
    for audit in audits:
        assert audit.problems == ()
        assert audit.failed_alternatives == {}
        assert all(row.kills for row in audit.rows)


def test_audit_prints_valid_json(capsys: pytest.CaptureFixture[str]) -> None:
    ran = run_in(REPOSITORY, "audit", SLUGS[0], "--reseeds", "0", "--format", "json")
    assert ran.code == 0
    assert json.loads(ran.out)["audits"]


# --- statements ----------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", SLUGS)
def test_a_statement_names_the_function_and_fits_narrow_terminals(slug: str) -> None:
    statement = COURSE.statement(slug)
    assert "multi_head_attention" in statement
    for columns in (80, 40):
        ran = run_in(REPOSITORY, "show", slug, columns=columns)
        assert ran.code == 0
        assert max(map(len, ran.out.splitlines())) <= columns


def test_the_statements_have_their_common_sections_in_the_same_order() -> None:
    def sections(slug: str) -> list[str]:
        lines = COURSE.statement(slug).splitlines()
        return [line[3:].rstrip("s") for line in lines if line.startswith("## ")]

    first, second = map(sections, SLUGS)
    common = ["Argument", "What to compute", "Return value", "Example"]
    assert [s for s in first if s in second] == common
    assert [s for s in second if s in first] == common


@pytest.mark.parametrize("slug", SLUGS)
def test_every_hint_is_printed_by_its_number(slug: str, tmp_path: Path) -> None:
    hints = COURSE.load(slug).hints
    assert len(hints) >= 3
    for number, hint in enumerate(hints, 1):
        ran = run_in(REPOSITORY, "hint", slug, str(number))
        assert hint.split()[0] in ran.out


@pytest.mark.parametrize("slug", SLUGS)
def test_a_submission_that_hangs_costs_its_learner_ten_seconds_at_most(slug: str) -> None:
    assert COURSE.load(slug).limits.total_seconds <= 10
