"""`pytest cases/ --submission FILE`, run by pytest's own `pytester`."""

from __future__ import annotations

import os
import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from conftest import REPOSITORY, SMALL_COURSE

import grader.pytest_items  # noqa: F401  (pytester forgets what is first imported inside a run)

pytest_plugins = ["pytester"]

RIGHT = """\
def project(X, W, bias=None):
    print("X is", X.shape)
    return X @ W if bias is None else X @ W + bias
"""
WRONG = """\
def project(X, W, bias=None):
    print("X is", X.shape)
    return 2 * X @ W if bias is None else X @ W
"""
COUNTING = """\
from grader.pipeline import ProblemGrader

real = ProblemGrader.grade

def counted(self, *arguments):
    with open("graded.log", "a") as log:
        log.write("once\\n")
    return real(self, *arguments)

ProblemGrader.grade = counted
"""
PRODUCT = Path("cases/projection/product.yaml")
PUBLISHED = "cases/projection/product.yaml::product::published"
DRAWN = "cases/projection/product.yaml::product::drawn"
BIAS = "cases/projection/bias.yaml::bias::two-rows"
WIDE = "cases/projection/returns.yaml::returns::wide"


@pytest.fixture
def course(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """The small course in pytester's folder, with a wrong solution."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SMALL_COURSE, pytester.path, ignore=ignore, dirs_exist_ok=True)
    (pytester.path / "solutions" / "projection.py").write_text(WRONG)
    paths = [str(REPOSITORY), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    return pytester


def run(course: pytest.Pytester, *argv: str) -> pytest.RunResult:
    return course.runpytest_inprocess("-p", "grader.pytest_plugin", "-rA", *argv)


def ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line and " " not in line]


def test_every_case_is_an_item_with_exercise_requirement_and_id(course: pytest.Pytester) -> None:
    result = run(course, "cases", "--collect-only", "-q")
    assert ids(result) == [BIAS, PUBLISHED, DRAWN, WIDE]


def test_items_have_the_graders_verdicts(course: pytest.Pytester) -> None:
    result = run(course, "cases")
    result.assert_outcomes(passed=1, failed=2, skipped=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines([f"PASSED {WIDE}", "SKIPPED*waits for product"])


def test_a_submission_folder_has_its_own_helpers_and_a_submission_file_has_none(
    course: pytest.Pytester,
) -> None:
    (course.path / "ada").mkdir()
    (course.path / "ada" / "projection.py").write_text("from helper import project\n")
    (course.path / "ada" / "helper.py").write_text(RIGHT)
    run(course, "cases", "--submission", "ada").assert_outcomes(passed=4)
    run(course, "cases", "--submission", "ada/projection.py").assert_outcomes(failed=4)


def test_submission_option_accepts_a_file(course: pytest.Pytester) -> None:
    (course.path / "alice.py").write_text(RIGHT)
    run(course, "cases", "--submission", "alice.py").assert_outcomes(passed=4)


def test_submission_option_accepts_a_folder_or_a_notebook(course: pytest.Pytester) -> None:
    folder = course.path / "alice"
    folder.mkdir()
    cell = '{"cell_type": "code", "metadata": {}, "source": %s}'
    source = '"def project(X, W, bias=None):\\n    return X @ W if bias is None else X @ W + bias"'
    (folder / "projection.ipynb").write_text('{"cells": [%s]}' % (cell % source))
    run(course, "cases", "--submission", "alice").assert_outcomes(passed=4)
    run(course, "cases", "--submission", "alice/projection.ipynb").assert_outcomes(passed=4)


def test_a_failure_shows_message_place_and_output_without_a_traceback(
    course: pytest.Pytester,
) -> None:
    result = run(course, PUBLISHED)
    result.stdout.fnmatch_lines(
        [
            "*product: published*",
            "output differs in all 4 elements.",
            "first at    output[[]row 0, column 0[]]",
            "why this case: The example of the statement.",
            "cases/projection/product.yaml:3",
            "*Captured stdout call*",
            "X is (2, 2)",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*pytest_items.py*")
    result.stdout.fnmatch_lines([f"FAILED {PUBLISHED} - output differs in *"])


def test_an_items_location_is_the_line_of_its_case(course: pytest.Pytester) -> None:
    items, _ = course.inline_genitems("-p", "grader.pytest_plugin", "cases")
    places = {item.nodeid: item.location[:2] for item in items}
    assert places[PUBLISHED] == (str(PRODUCT), 2)
    assert places[DRAWN] == (str(PRODUCT), 9)


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ("bias", [BIAS]),
        ("product and not drawn", [PUBLISHED]),
        ("projection", [BIAS, PUBLISHED, DRAWN, WIDE]),
        ("two-rows", [BIAS]),
    ],
)
def test_option_k_selects_by_exercise_requirement_and_id(
    course: pytest.Pytester, words: str, chosen: list[str]
) -> None:
    assert ids(run(course, "cases", "--collect-only", "-q", "-k", words)) == chosen


def test_option_x_stops_at_the_first_failure_and_lf_repeats_it(course: pytest.Pytester) -> None:
    run(course, "cases", "-x").assert_outcomes(failed=1, skipped=1)
    result = run(course, "cases", "--lf")
    result.assert_outcomes(failed=1)
    (course.path / "solutions" / "projection.py").write_text(RIGHT)
    run(course, "cases", "--lf").assert_outcomes(passed=1)


def test_junitxml_contains_the_message_and_the_output(course: pytest.Pytester) -> None:
    run(course, "cases", "--junitxml=out.xml", "-o", "junit_logging=all")
    root = ElementTree.parse(course.path / "out.xml").getroot()
    [case] = [c for c in root.iter("testcase") if c.get("name") == "published"]
    assert case.get("classname") == "cases.projection.product.yaml.product"
    failure = case.find("failure")
    assert failure is not None
    assert str(failure.text).startswith("output differs in all 4 elements.\n")
    assert "X is (2, 2)" in str(case.findtext("system-out"))


def run_counted(course: pytest.Pytester, *argv: str) -> int:
    """Run the cases in processes of their own; return how often a submission was graded."""
    course.makeconftest(COUNTING)
    result = course.runpytest_subprocess("-p", "grader.pytest_plugin", "cases", *argv)
    result.assert_outcomes(passed=1, failed=2, skipped=1)
    return (course.path / "graded.log").read_text().count("once")


def test_the_submission_runs_once_for_all_cases(course: pytest.Pytester) -> None:
    assert run_counted(course) == 1


def test_xdist_gives_the_same_outcomes_and_runs_the_submission_once_per_worker(
    course: pytest.Pytester,
) -> None:
    assert run_counted(course, "-n", "2") == 2


def test_a_file_that_cannot_be_graded_fails_every_case_with_its_line(
    course: pytest.Pytester,
) -> None:
    (course.path / "bad.py").write_text("def project(X, W:\n    pass\n")
    result = run(course, "cases", "--submission", "bad.py")
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["bad.py cannot be graded", "*SyntaxError*", "*line 1: def*"])


def test_a_missing_submission_is_one_usage_error(course: pytest.Pytester) -> None:
    result = run(course, "cases", "--submission", "nobody.py")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines[0] == "ERROR: --submission nobody.py: there is no such file or folder"


def test_a_missing_solution_fails_every_case(course: pytest.Pytester) -> None:
    (course.path / "solutions" / "projection.py").unlink()
    result = run(course, "cases")
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["*projection.py cannot be graded", "there is no such file*"])


def test_an_authors_mistake_is_an_error_with_its_line_and_no_traceback(
    course: pytest.Pytester,
) -> None:
    path = course.path / "cases" / "projection" / "bias.yaml"
    path.write_text(path.read_text().replace("why:", "because:"))
    result = run(course, "cases")
    assert result.ret == 2
    result.stdout.fnmatch_lines(["*cases/projection/bias.yaml:4:5:*because*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_an_unmet_bonus_is_an_expected_failure(course: pytest.Pytester) -> None:
    problem = course.path / "problems" / "projection" / "problem.yaml"
    text = problem.read_text()
    problem.write_text(
        text.replace("to every row., needs: [product]", "to every row., bonus: true")
    )
    (course.path / "solutions" / "projection.py").write_text(
        "def project(X, W, bias=None):\n    return X @ W\n"
    )
    result = run(course, "cases")
    result.assert_outcomes(passed=3, xfailed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["XFAIL*bonus: output differs in*"])


def test_a_hidden_case_shows_no_details(course: pytest.Pytester) -> None:
    path = course.path / "cases" / "projection" / "product.yaml"
    path.write_text(
        path.read_text().replace("requirement: product", "requirement: product\nhidden: true")
    )
    result = run(course, "cases", "-k", "hidden-1")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["A hidden case is not right."])
    for word in ("first at", "X is", "example of the statement", "published"):
        result.stdout.no_fnmatch_line(f"*{word}*")


def _second_exercise(course: pytest.Pytester) -> None:
    for folder in ("problems", "cases"):
        shutil.copytree(course.path / folder / "projection", course.path / folder / "second")
    shutil.copy(course.path / "solutions/projection.py", course.path / "solutions/second.py")


def test_a_file_named_after_an_exercise_is_graded_only_for_that_exercise(
    course: pytest.Pytester,
) -> None:
    _second_exercise(course)
    (course.path / "other").mkdir()
    (course.path / "other" / "second.py").write_text(RIGHT)
    run(course, "cases", "--submission", "other/second.py").assert_outcomes(passed=4)
    run(course, "cases").assert_outcomes(passed=2, failed=4, skipped=2)


def test_a_file_that_may_solve_two_exercises_is_a_usage_error(course: pytest.Pytester) -> None:
    _second_exercise(course)
    (course.path / "alice.py").write_text(RIGHT)
    result = run(course, "cases", "--submission", "alice.py")
    assert result.ret == 2
    result.stdout.fnmatch_lines(["*which exercise does alice.py solve, projection or second?*"])
    run(course, "cases/second", "--submission", "alice.py").assert_outcomes(passed=4)


def test_yaml_files_of_other_projects_are_ignored(course: pytest.Pytester) -> None:
    for name in ("cases/notes.yaml", "cases/x/y.yaml", "data/z.yml", "problems/p.yaml"):
        path = course.path / "elsewhere" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a: 1\n")
    assert run(course, "elsewhere").ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_the_plug_in_imports_no_large_module_in_an_unrelated_project(
    course: pytest.Pytester,
) -> None:
    course.makepyfile(
        test_it="""
        import sys

        def test_it():
            ours = [name for name in sys.modules if name.split(".")[0] == "grader"]
            assert ours == ["grader", "grader.pytest_plugin"]
            assert not {"numpy", "yaml", "rich"} & set(sys.modules)
        """
    )
    result = course.runpytest_subprocess("-p", "grader.pytest_plugin", "test_it.py")
    result.assert_outcomes(passed=1)
