"""Exercises that are not about attention need new files only.

Two unrelated exercises are written into an empty course: a softmax over any axis that returns a
dictionary of an array and a single number, and a root mean square that returns one number.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import run_in, write_files

SOFTMAX = {
    "problems/stable_softmax/problem.yaml": """
        title: A stable softmax
        entry_point: softmax
        parameters: [x, axis?]
        returns:
          dictionary:
            - {name: p, axes: [row, column]}
            - {name: log_sum, axes: []}
        tolerance: {rtol: 1e-9, atol: 1e-12}
        requirements:
          - {id: returns, says: "Returns {'p': array, 'log_sum': number}.", checks: structure}
          - {id: sums, says: The values add up to 1 over the axis.}
          - {id: axis, says: The axis may be any., needs: [sums], points: 2, proves: [p]}
          - {id: stability, says: Large values do not overflow., needs: [sums], bonus: true}
        hints:
          - Subtract the maximum first.
        """,
    "problems/stable_softmax/statement.md": "# A stable softmax\n",
    "problems/stable_softmax/reference.py": """
        import numpy as np

        def softmax(x, axis=-1):
            top = x.max(axis, keepdims=True)
            e = np.exp(x - top)
            total = e.sum(axis, keepdims=True)
            return {"p": e / total, "log_sum": float((np.log(total) + top).sum())}
        """,
    "problems/stable_softmax/misconceptions.py": """
        import numpy as np
        from grader.model import Misconception

        def _over_rows(x, axis=-1):
            e = np.exp(x)
            total = e.sum(1, keepdims=True)
            return {"p": e / total, "log_sum": float(np.log(total).sum())}

        MISCONCEPTIONS = [
            Misconception(
                "axis-ignored", violates="axis", hint="The axis never enters your sums.",
                implementation=_over_rows,
            ),
        ]
        """,
    "cases/stable_softmax/returns.yaml": """
        requirement: returns
        cases:
          - id: wide
            why: Rows and columns differ.
            arguments: {x: [[1.0, 2.0, 3.0], [3.0, 5.0, 4.0]]}
        """,
    "cases/stable_softmax/sums.yaml": """
        requirement: sums
        cases:
          - id: published
            why: The example of the statement.
            arguments: {x: [[0.0, 0.0]]}
            expected: {p: [[0.5, 0.5]], log_sum: 0.693}
            decimals: 3
        """,
    "cases/stable_softmax/axis.yaml": """
        requirement: axis
        cases:
          - id: over-columns
            why: With axis 0 the columns add up to 1.
            arguments: {x: {normal: {shape: [3, 2], seed: 1}}, axis: 0}
          - id: over-rows
            why: With axis 1 the rows do.
            arguments: {x: {normal: {shape: [3, 2], seed: 2}}, axis: 1}
        """,
    "cases/stable_softmax/stability.yaml": """
        requirement: stability
        cases:
          - id: large
            why: exp(1000) is infinite.
            arguments: {x: [[1000.0, 999.0]]}
        """,
    "solutions/stable_softmax.py": """
        def softmax(x, axis=-1):
            raise NotImplementedError
        """,
}
RMS = {
    "problems/rms/problem.yaml": """
        title: Root mean square
        entry_point: rms
        parameters: [values]
        returns: [{name: root, axes: []}]
        tolerance: {rtol: 1e-12, atol: 0}
        requirements:
          - {id: returns, says: Returns one number., checks: structure}
          - {id: mean, says: The squares are averaged.}
        hints: []
        """,
    "problems/rms/statement.md": "# Root mean square\n",
    "problems/rms/reference.py": """
        import numpy as np

        def rms(values):
            return np.sqrt((np.asarray(values) ** 2).mean())
        """,
    "cases/rms/all.yaml": """
        requirement: returns
        cases:
          - id: two-values
            why: Two values, one number.
            arguments: {values: [3, 4]}
        """,
    "cases/rms/mean.yaml": """
        requirement: mean
        cases:
          - id: four-values
            why: The number of values is not their sum.
            arguments: {values: [1.0, 2.0, 3.0, 4.0]}
        """,
    "solutions/rms.py": """
        def rms(values):
            raise NotImplementedError
        """,
}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course of two exercises that are not about attention."""
    return write_files(tmp_path, SOFTMAX | RMS)


def graded(course: Path, slug: str, source: str) -> Any:
    """Return the JSON report of a source text handed in for an exercise."""
    write_files(course, {"work/submission.py": source})
    ran = run_in(course / "work", "grade", "submission.py", "--problem", slug, "--format", "json")
    (report,) = json.loads(ran.out)["reports"]
    assert ran.code == (0 if report["verdict"] == "passed" else 1)
    return report


def verdicts(report: Any) -> dict[str, str]:
    """Return the verdict of every requirement."""
    return {r["id"]: r["verdict"] for r in report["requirements"]}


def messages(report: Any) -> str:
    """Return the messages of all cases, one per line."""
    return "\n".join(c["message"] or "" for r in report["requirements"] for c in r["cases"])


def test_new_exercises_are_sound_and_listed_without_registration(course: Path) -> None:
    ran = run_in(course, "check")
    assert (ran.code, ran.err) == (0, "")
    assert "stable_softmax: 4 requirements, 5 cases, 3 published numbers agree" in ran.out
    listed = run_in(course, "list").out
    assert "rms" in listed
    assert "stable_softmax" in listed


def test_starters_are_not_started(course: Path) -> None:
    ran = run_in(course, "grade")
    assert ran.code == 1
    assert ran.out.count("Not started yet") == 2


RIGHT = """
    import numpy as np

    def softmax(values, over=-1):
        shifted = values - np.max(values, axis=over, keepdims=True)
        weights = np.exp(shifted)
        total = np.sum(weights, axis=over, keepdims=True)
        log_sum = np.sum(np.log(total) + np.max(values, axis=over, keepdims=True))
        return dict(log_sum=log_sum, p=weights / total)
    """


def test_a_right_softmax_passes_with_other_parameter_names_and_key_order(
    course: Path,
) -> None:
    report = graded(course, "stable_softmax", RIGHT)
    assert report["verdict"] == "passed"
    assert report["score"] == {"earned": 4, "possible": 4}


def test_a_softmax_that_overflows_fails_only_the_bonus(course: Path) -> None:
    source = RIGHT.replace("values - np.max(values, axis=over, keepdims=True)", "values").replace(
        " + np.max(values, axis=over, keepdims=True)", ""
    )
    report = graded(course, "stable_softmax", source)
    assert report["verdict"] == "passed"
    assert verdicts(report)["stability"] == "failed"


def test_a_misconception_is_diagnosed_under_the_requirement_it_violates(
    course: Path,
) -> None:
    source = """
        import numpy as np

        def softmax(x, axis=-1):
            e = np.exp(x)
            s = e.sum(1, keepdims=True)
            return {"p": e / s, "log_sum": np.log(s).sum()}
        """
    report = graded(course, "stable_softmax", source)
    assert verdicts(report)["axis"] == "failed"
    assert verdicts(report)["sums"] == "passed"
    diagnosis = {r["id"]: r["diagnosis"] for r in report["requirements"]}["axis"]
    assert diagnosis == {
        "misconception": "axis-ignored",
        "hint": "The axis never enters your sums.",
    }


def test_requirements_that_need_the_failed_sums_are_skipped(course: Path) -> None:
    report = graded(course, "stable_softmax", RIGHT.replace("/ total", "/ total * 2"))
    assert verdicts(report) == {
        "returns": "passed",
        "sums": "failed",
        "axis": "skipped",
        "stability": "skipped",
    }
    assert "p differs in all 2 elements." in messages(report)
    assert "p[row 0, column 0]" in messages(report)


def test_a_misspelt_key_fails_returns_and_the_other_value_is_judged(course: Path) -> None:
    report = graded(course, "stable_softmax", RIGHT.replace("log_sum=", "logsum="))
    assert verdicts(report) == {
        "returns": "failed",
        "sums": "skipped",
        "axis": "passed",
        "stability": "skipped",
    }
    assert "has no 'log_sum' and has the unknown 'logsum'" in messages(report)


def test_a_bare_array_instead_of_a_dictionary_fails_returns(course: Path) -> None:
    report = graded(
        course, "stable_softmax", RIGHT.replace("return dict(", "return (lambda log_sum, p: p)(")
    )
    assert verdicts(report)["returns"] == "failed"
    assert "Expected a dictionary with 'p', 'log_sum'" in messages(report)


@pytest.mark.parametrize(
    ("broken", "kind"),
    [("def softmax(x:\n", "syntax"), ("soft = 1\n", "missing"), ("import torch_nope\n", "import")],
)
def test_a_broken_softmax_is_an_error_with_a_message(broken: str, kind: str, course: Path) -> None:
    report = graded(course, "stable_softmax", broken)
    assert (report["verdict"], report["error"]["kind"]) == ("errored", kind)


@pytest.mark.parametrize(
    "expression",
    [
        "np.sqrt(np.mean(np.square(values)))",
        "float(np.linalg.norm(values) / np.sqrt(len(values)))",
        "np.array(np.sqrt(np.mean(np.square(values))))",
        "(sum(v * v for v in values) / len(values)) ** 0.5",
    ],
)
def test_a_single_number_may_have_any_numeric_type(expression: str, course: Path) -> None:
    report = graded(course, "rms", f"import numpy as np\ndef rms(values): return {expression}\n")
    assert report["verdict"] == "passed"


def test_a_wrong_single_number_differs_in_its_only_element(course: Path) -> None:
    report = graded(course, "rms", "def rms(values): return (sum(values ** 2)) ** 0.5\n")
    assert verdicts(report) == {"returns": "passed", "mean": "failed"}
    assert "root differs in its only element." in messages(report)


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("values", "root has the wrong shape: expected a single number, got (2,)"),
        ("[1.0]", "root has the wrong shape: expected a single number, got (1,)"),
        ("None", "root is not an array of numbers: None: is a return missing?"),
        ("'2.5'", "root is not an array of numbers: text"),
        ("(values, 1)", "Expected one array (root), got a tuple of 2 values."),
    ],
)
def test_a_value_that_is_not_a_number_fails_returns_with_its_type(
    expression: str, says: str, course: Path
) -> None:
    report = graded(course, "rms", f"def rms(values): return {expression}\n")
    assert verdicts(report)["returns"] == "failed"
    assert says in messages(report)


def test_a_file_named_after_a_slug_needs_no_problem_option(course: Path) -> None:
    write_files(course, {"work/rms.py": "def rms(v): return (sum(v * v) / len(v)) ** 0.5\n"})
    assert run_in(course / "work", "grade", "rms.py").code == 0
    ran = run_in(course, "grade", "work/rms.py", "solutions/stable_softmax.py")
    assert ran.code == 1
    assert "Every requirement is met" in ran.out
