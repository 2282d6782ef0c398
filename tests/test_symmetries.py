"""`--reseed` changes cases by the symmetries of an exercise and keeps what they mean."""

from __future__ import annotations

import base64
import hashlib
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY, run_in
from small_problem import problem_of, says

from grader import grading
from grader.catalog import Course
from grader.errors import Location
from grader.model import Case, Problem, Published, Symmetry, Verdict
from grader.options import GradingOptions
from grader.pipeline import ProblemGrader
from grader.runners.inprocess import InProcessRunner
from grader.symmetries import changed

COURSE = Course(REPOSITORY)
TOKENS = Symmetry("tokens", (("x", 0), ("mask", -1), ("mask", -2)))
HEADS = Symmetry("heads", (("x", 1), ("w", 0)), blocks="heads")
COLUMNS = Symmetry("columns", (("x", 1), ("w", 0)), blocks="heads", inside=True)
SIZE = Symmetry("size", scaled=(("w", 1), ("v", -1)))
X = np.arange(24.0).reshape(4, 6)
W = np.arange(36.0).reshape(6, 6)


def case_of(**options: Any) -> Case:
    """Return a case without arguments of its own."""
    return Case("one", "scale", "A test.", {}, Location("scale.yaml"), **options)


def reseeded(
    *symmetries: Symmetry, reseed: int = 1, case: Case | None = None, **arguments: Any
) -> dict[str, Any]:
    """Return arguments as a number of `--reseed` changes them."""
    problem = replace(problem_of(says("scale")), symmetries=symmetries)
    return changed(problem, case or case_of(), arguments, reseed)


def test_axes_are_permuted_together() -> None:
    mask = X @ X.T
    after = reseeded(TOKENS, x=X, mask=mask)
    assert sorted(after["x"][:, 0]) == sorted(X[:, 0])
    assert not np.array_equal(after["x"], X)
    assert np.array_equal(after["x"] @ after["x"].T, after["mask"])


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_an_axis_that_broadcasts_is_left_alone(shape: tuple[int, ...]) -> None:
    mask = np.ones(shape, bool)
    after = reseeded(TOKENS, x=X, mask=mask)
    assert after["mask"].shape == shape
    assert not np.array_equal(after["x"], X)


def test_a_single_axis_of_a_mask_follows_the_tokens() -> None:
    mask = np.arange(4) == 2
    after = reseeded(TOKENS, x=X, mask=mask)
    assert np.array_equal(after["x"][after["mask"]], X[mask])


def test_blocks_change_places_as_a_whole() -> None:
    after = reseeded(HEADS, x=X, w=W, heads=3)
    assert not np.array_equal(after["x"], X)
    assert np.array_equal(after["x"] @ after["w"], X @ W)
    pairs = after["x"][0].reshape(3, 2)
    assert sorted(pairs.tolist()) == X[0].reshape(3, 2).tolist()


def test_columns_change_places_inside_each_block_alike() -> None:
    after = reseeded(COLUMNS, x=X, w=W, heads=2)
    blocks = after["x"][0].reshape(2, 3)
    assert np.array_equal(np.sort(blocks), X[0].reshape(2, 3))
    assert np.array_equal(np.argsort(blocks[0]), np.argsort(blocks[1]))
    assert not np.array_equal(after["x"], X)


def test_a_power_of_two_and_its_inverse_cancel_exactly() -> None:
    w, v = np.array([0.1, 0.7]), np.array([0.3, 1e-3])
    after = reseeded(SIZE, w=w, v=v)
    assert (after["w"] / w).tolist() in ([2.0, 2.0], [4.0, 4.0])
    assert np.array_equal(after["w"] * after["v"], w * v)


def test_whole_numbers_stay_whole() -> None:
    grown = reseeded(Symmetry("size", scaled=(("w", 1),)), w=np.array([1, 2]))
    assert grown["w"].dtype == np.int64
    kept = reseeded(SIZE, w=np.array([0.5]), v=np.array([1, 2]))
    assert kept["v"].tolist() == [1, 2]
    assert kept["w"].tolist() == [0.5]


def test_the_change_is_fixed_by_the_number_and_the_case() -> None:
    def after(reseed: int, id: str) -> list[float]:
        long = np.arange(20.0)
        rows = Symmetry("rows", (("x", 0),))
        result = reseeded(rows, reseed=reseed, case=replace(case_of(), id=id), x=long)
        return list(result["x"])

    assert after(1, "a") == after(1, "a")
    assert after(1, "a") != after(2, "a")
    assert after(1, "a") != after(1, "b")


def test_two_tokens_always_change_places() -> None:
    for reseed in range(1, 21):
        after = reseeded(Symmetry("rows", (("x", 0),)), reseed=reseed, x=np.array([1.0, 2.0]))
        assert after["x"].tolist() == [2.0, 1.0]


def test_a_case_keeps_what_it_lists_as_fixed() -> None:
    after = reseeded(TOKENS, SIZE, case=case_of(fixed=("tokens",)), x=X, w=W)
    assert np.array_equal(after["x"], X)
    assert not np.array_equal(after["w"], W)


def test_one_object_passed_twice_stays_one_object() -> None:
    queries, keys = Symmetry("queries", (("q", 0),)), Symmetry("keys", (("k", 0), ("v", 0)))
    v = np.arange(4.0)
    after = reseeded(queries, keys, q=X, k=X, v=v)
    assert after["q"] is after["k"]
    assert np.array_equal(after["k"][:, 0], 6 * after["v"])
    assert not np.array_equal(after["v"], v)


def test_a_symmetry_is_left_out_when_an_object_is_also_another_argument() -> None:
    after = reseeded(Symmetry("queries", (("q", 0),)), q=X, k=X)
    assert after["q"] is X
    scaled = reseeded(Symmetry("size", scaled=(("w", 1),)), w=W, u=W)
    assert scaled["w"] is W


# --- the exercises --------------------------------------------------------------------------------


PROBLEMS = [COURSE.load(slug) for slug in COURSE.slugs]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.slug)
def test_a_reseeded_case_has_the_same_numbers_in_other_places_and_sizes(problem: Problem) -> None:
    written = {call.case: call.arguments for call in grading.build_calls(problem)}
    drawn = {case.id for case in problem.cases if "seed" in str(case.arguments)}
    for reseed in range(1, 6):
        for call in grading.build_calls(problem, reseed):
            for before, after in zip(written[call.case], call.arguments, strict=True):
                if not isinstance(before, np.ndarray):
                    assert before == after
                    continue
                assert (before.shape, before.dtype) == (after.shape, after.dtype)
                if before.dtype == bool and before.ndim:
                    assert after.any(axis=-1).all() == before.any(axis=-1).all()
                elif call.case not in drawn:
                    sizes = [np.sort(factor * before, axis=None) for factor in (1, 2, 4)]
                    assert any(np.array_equal(np.sort(after, axis=None), s) for s in sizes)


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.slug)
def test_cases_with_published_answers_stay_as_they_are(problem: Problem) -> None:
    published = [case for case in problem.cases if case.published]
    written = {call.case: call.arguments for call in grading.build_calls(problem)}
    reseeded = {call.case: call.arguments for call in grading.build_calls(problem, 7)}
    assert published
    for case in published:
        for before, after in zip(written[case.id], reseeded[case.id], strict=True):
            assert np.array_equal(before, after)


def test_a_seed_in_a_published_case_is_not_shifted() -> None:
    drawn = {"normal": {"shape": [3], "seed": 1}}
    problem = problem_of(says("scale"), cases=1, arguments={"x": drawn})
    (case,) = problem.cases
    known = Published({}, 2, Location("scale.yaml"))
    published = replace(problem, cases=(replace(case, published=known),))
    for one, same in ((problem, False), (published, True)):
        first, second = (grading.build_calls(one, n)[0].arguments[0] for n in (0, 1))
        assert np.array_equal(first, second) == same


# --- memorised answers ----------------------------------------------------------------------------

TABLE = """\
import base64, hashlib, io
import numpy as np

with np.load(io.BytesIO(base64.b64decode({data!r}))) as stored:
    ANSWERS = {{name: stored[name] for name in stored.files}}


def multi_head_attention(*arguments):
    text = b"".join(np.asarray(a, float).tobytes() for a in arguments if a is not None)
    key = hashlib.sha256(text).hexdigest()
    found = tuple(ANSWERS[f"{{key}}-{{n}}"] for n in range({count}))
    return found if {count} > 1 else found[0]
"""


def table_of(problem: Problem) -> str:
    """Return a submission that looks every answer up by the bytes of the arguments."""
    prepared = grading.prepare(problem, COURSE.reference(problem))
    answers = {}
    for call, case in zip(prepared.calls, problem.cases, strict=True):
        text = b"".join(np.asarray(a, float).tobytes() for a in call.arguments if a is not None)
        for n, value in enumerate(prepared.answer(case).values):
            assert value.array is not None
            answers[f"{hashlib.sha256(text).hexdigest()}-{n}"] = value.array
    stored = io.BytesIO()
    np.savez_compressed(stored, allow_pickle=False, **answers)
    data = base64.b64encode(stored.getvalue()).decode()
    return TABLE.format(data=data, count=len(problem.returns.values))


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.slug)
def test_memorised_answers_get_only_the_points_of_the_published_example(
    problem: Problem, tmp_path: Path
) -> None:
    path = tmp_path / f"{problem.slug}.py"
    path.write_text(table_of(problem))
    published = {case.requirement for case in problem.cases if case.published}
    for reseed in range(5):
        options = GradingOptions(reseed=reseed, diagnoses=False)
        with InProcessRunner() as runner:
            report = ProblemGrader(COURSE, problem.slug, options).grade(path, runner)
        met = {r.requirement.id for r in report.requirements if r.verdict is Verdict.PASSED}
        everything = {requirement.id for requirement in problem.requirements}
        assert met == (published if reseed else everything)


# --- the audit of memorised answers ---------------------------------------------------------------


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with the exercise that `grader new` writes, whose cases have no seeds."""
    for folder in ("problems", "cases", "solutions"):
        (tmp_path / folder).mkdir()
    assert run_in(tmp_path, "new", "twice").code == 0
    cases = tmp_path / "cases" / "twice" / "doubles.yaml"
    cases.write_text(cases.read_text().split("  - id: drawn-numbers")[0] + LAST_CASE)
    return tmp_path


LAST_CASE = """\
  - id: other-numbers
    why: Other numbers.
    arguments: {x: [4.0, -2.5]}
"""


def audit(course: Path, symmetry: str = "") -> str:
    """Audit the course with one reseeding and return what it prints."""
    problem = course / "problems" / "twice" / "problem.yaml"
    problem.write_text(problem.read_text() + symmetry)
    return run_in(course, "audit", "--reseeds", "1", columns=400).out


def test_cases_that_reseeding_leaves_as_they_are_are_refused(course: Path) -> None:
    refused = "a submission that returns the answers without --reseed as doubled meets 'doubles'"
    advice = "give a case a random recipe, or a symmetry that changes its answer (--reseed 1)"
    assert f"{refused}: {advice}" in audit(course)


def test_a_symmetry_makes_memorised_answers_fail(course: Path) -> None:
    assert "✗" not in audit(course, "symmetries: {size: {scale: [x]}}\n")


def test_a_symmetry_that_is_fixed_in_every_case_does_not(course: Path) -> None:
    for path in (course / "cases" / "twice").iterdir():
        path.write_text(path.read_text().replace("arguments", "fixed: [size]\n    arguments"))
    assert "✗" in audit(course, "symmetries: {size: {scale: [x]}}\n")
