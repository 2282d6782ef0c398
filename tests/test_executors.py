"""A file run by a runner and the same code called as a function get the same report."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grader import explain, grade
from grader.catalog import Course
from grader.model import CaseResult, Report
from grader.pipeline import ProblemGrader
from grader.runners import RUNNERS, Runner, choose

HEAD = """\
import sys
import warnings

import numpy as np


def project(X, W, bias=None):
"""
BODIES = {
    "right": "return X @ W if bias is None else X @ W + bias",
    "a warning": "warnings.warn('careful')\n    return X @ W",
    "a warning twice": "for _ in 'ab':\n        warnings.warn('argument 1')\n    return X @ W",
    "a warning of NumPy": "np.sqrt(np.array(-1.0))\n    return X @ W",
    "a warning of the standard library": "warnings.warn('deep', stacklevel=9)\n    return X @ W",
    "a warning that is ignored": "warnings.warn('no', ImportWarning)\n    return X @ W",
    "an argument changed in place": "X += 1\n    return X @ W",
    "two arguments changed in place": "X += 1\n    W[:] = 0\n    return X @ W",
    "an argument changed and put back": "X += 1\n    X -= 1\n    return X @ W",
    "a list": "return (X @ W).tolist()",
    "a masked array": "return np.ma.array(X @ W)",
    "masked entries": "return np.ma.masked_less(X @ W, 1e9)",
    "None": "X @ W",
    "a generator": "yield X @ W",
    "a function": "return np.dot",
    "an iterator": "return iter(X)",
    "text": "return 'X @ W'",
    "rows of different lengths": "return [[1, 2], [3]]",
    "a list that holds None": "return [None, 1.0]",
    "a tuple": "return X @ W, W",
    "an object": "return object()",
    "an object array": "return np.array([None])",
    "another shape": "return (X @ W)[None]",
    "an exception": "return [][3]",
    "an exception with lines": "raise ValueError('no\\nsee (line 3)')",
    "an exception without text": "class Odd(Exception):\n        def __str__(self):"
    " raise self\n    raise Odd",
    "an exception in NumPy": "return np.linalg.inv(np.zeros((2, 2)))",
    "an exception with a hint": "import torch_of_mine",
    "an endless recursion": "return project(X, W)",
    "an exit": "sys.exit(3)",
    "no keyboard": "raise EOFError",
    "not written yet": "raise NotImplementedError",
    "output": "print('hello', end='\\x07\\n')\n    return X @ W",
    "output on the other stream": "print('oh', file=sys.stderr)\n    return X @ W",
    "much output": "print('x' * 9999)\n    return X @ W",
}


@pytest.fixture(scope="module", params=[name for name in RUNNERS if name != "zygote"])
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    """The runners that work on every platform."""
    with choose(request.param)[0] as made:
        yield made


def function_of(path: Path) -> Callable[..., Any]:
    """Return the entry point of a file, imported as a module."""
    spec = importlib.util.spec_from_file_location("of_a_learner", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.project  # type: ignore[no-any-return]


def told(report: Report, shown: str) -> list[Any]:
    """Return everything a report shows, with the path `shown` replaced by FILE."""

    def of(case: CaseResult) -> list[Any]:
        text = explain.message(case).replace(shown, "FILE")
        return [case.case.id, case.verdict, text, explain.notes(case), case.execution.output]

    cases = [of(case) for result in report.requirements for case in result.cases]
    return [report.verdict, explain.report_notes(report), *cases]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_file_and_a_function_of_the_same_code_get_the_same_report(
    small_course: Path, runner: Runner, body: str
) -> None:
    path = small_course / "solutions" / "projection.py"
    path.write_text(f"{HEAD}    {body}\n")
    as_file = ProblemGrader(Course(small_course), "projection").grade(path, runner)
    as_function = grade(function_of(path), "projection", root=small_course).report
    assert told(as_file, "solutions/projection.py") == told(as_function, str(path))


def notes_of(course: Path, body: str) -> list[str]:
    """Return the notes of a report on a function object."""
    path = course / "solutions" / "projection.py"
    path.write_text(f"{HEAD}    {body}\n")
    return explain.report_notes(grade(function_of(path), "projection", root=course).report)


def test_a_function_gets_a_note_for_a_warning_and_for_a_changed_argument(
    small_course: Path,
) -> None:
    [warned, changed] = notes_of(small_course, "warnings.warn('oh'); X += 1\n    return X @ W")
    assert warned == "UserWarning: oh (line 8)"
    assert changed.startswith("argument X was changed in place (in ")


def test_inprocess_and_process_refuse_a_broken_file_identically(small_course: Path) -> None:
    sources = ["import torch_of_mine", "raise SystemExit", "def project(X:", "x = 1", "project = 3"]
    path = small_course / "solutions" / "projection.py"
    for source in sources:
        path.write_text(source)
        said = []
        for name in ("inprocess", "process"):
            with choose(name)[0] as runner:
                report = ProblemGrader(Course(small_course), "projection").grade(path, runner)
            assert report.refusal is not None
            said.append((report.refusal.kind, explain.refusal_lines(report.refusal)))
        assert said[0] == said[1]


def test_a_warning_names_the_helper_that_gave_it(small_course: Path) -> None:
    folder = small_course / "solutions"
    (folder / "beside.py").write_text("import warnings\nwarnings.warn('near')\n")
    (folder / "projection.py").write_text(f"import beside\n{HEAD}    {BODIES['right']}\n")
    for name in ("inprocess", "process"):
        with choose(name)[0] as runner:
            grader = ProblemGrader(Course(small_course), "projection")
            report = grader.grade(folder / "projection.py", runner)
        assert explain.report_notes(report) == ["UserWarning: near (solutions/beside.py, line 2)"]
