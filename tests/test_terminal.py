"""The report in a terminal: it fits the width, keeps every fact, and needs no colour."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL_COURSE, Ran, run_in, write_files
from rich.cells import cell_len
from rich.console import Console

from grader import formats
from grader.catalog import Course
from grader.formats import terminal as screen
from grader.model import Reason, Report, Verdict
from grader.pipeline import ProblemGrader
from grader.runners import RUNNERS

HEAD = "def project(X, W, bias=None):\n    "
SOURCES = {
    "right": HEAD + "return X @ W if bias is None else X @ W + bias\n",
    "starter": HEAD + "raise NotImplementedError\n",
    "wrong values": HEAD + "return X @ W * 1.5\n",
    "wrong last values": HEAD + "Y = X @ W\n    Y[-1, -1] += 1e-3\n    return Y\n",
    "wrong shape": HEAD + "return (X @ W).T\n",
    "wrong kind": HEAD + "return X @ W, bias\n",
    "no return": HEAD + "X @ W\n",
    "nan": HEAD + "return X @ W * float('nan')\n",
    "exception": "def helper(A):\n    return A[9]\n\n\n" + HEAD + "return helper(X)\n",
    "prints": HEAD + "print('a line that is printed ' * 8)\n    return X @ W\n",
    "prints much": HEAD + "print(*range(100), sep='\\n')\n    return X @ W\n",
    "syntax error": "def project(X, W, bias=None)\n    return X\n",
    "long syntax error": "x = '" + "long " * 60 + "\n",
    "missing": "def projection(X, W):\n    return X\n",
    "import": "import a_module_of_a_long_name_that_is_not_there_at_all_and_never_was\n",
    "waits": HEAD + "return X * 0 @ W\n",
    "deep": "def f(n, X):\n    return f(n - 1, X) if n else X[9]\n" + HEAD + "return f(30, X)\n",
    "wide characters": HEAD + "print('数値計算の課題 ' * 12)\n    return X @ W\n",
    "long message": HEAD + "raise ValueError('no-spaces-' * 30)\n",
}


def shown(course: Path, source: str, columns: int, *argv: str, **environment: Any) -> Ran:
    """Grade a source text on a terminal of `columns` columns."""
    write_files(course, {"solutions/projection.py": source})
    return run_in(course, "grade", *argv, columns=columns, **environment)


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Report]]:
    """A report of each source text."""
    folder = tmp_path_factory.mktemp("sources")
    grader = ProblemGrader(Course(SMALL_COURSE), "projection")
    with RUNNERS["process"]()() as runner:
        found = {}
        for name, source in SOURCES.items():
            path = folder / f"{name}.py"
            path.write_text(source, "utf-8")
            found[name] = grader.grade(path, runner)
        yield found


def rendered(report: Report, columns: int) -> str:
    """Return the report as a terminal of `columns` columns shows it."""
    console = Console(file=io.StringIO(), width=columns, color_system=None)
    screen.show(console, [report], every_case=True)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def squeezed(text: str) -> str:
    """Return text without white space and the bars beside a case."""
    return re.sub(r"[\s│|]+", "", text)


def assert_fits(text: str, columns: int) -> None:
    assert [line for line in text.splitlines() if cell_len(line) > columns] == []


@pytest.mark.parametrize("columns", [80, 60, 59, 40, 20])
@pytest.mark.parametrize("name", SOURCES)
def test_a_report_fits_the_terminal_and_keeps_every_word(
    name: str, columns: int, reports: dict[str, Report]
) -> None:
    whole, narrow = rendered(reports[name], 300), rendered(reports[name], columns)
    assert_fits(narrow, columns)
    there = squeezed(narrow)
    lost = [word for word in re.split(r"[\s│]+", whole) if word.strip("`,") not in there]
    assert lost == []


def test_a_live_screen_begins_with_failed_requirements(
    reports: dict[str, Report],
) -> None:
    console = Console(file=io.StringIO(), width=40, color_system=None)
    console.print(screen.Screen(reports["wrong values"], command="grader", live=True))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    marks = [line[0] for line in lines if line[:2] in ("✓ ", "✗ ", "· ")]
    assert marks[0] == "✗"
    assert "✓" in marks
    assert max(map(cell_len, lines)) <= 40


@pytest.mark.parametrize("columns", [80, 40])
def test_grade_uses_the_width_of_the_terminal(columns: int, small_course: Path) -> None:
    out = shown(small_course, SOURCES["wrong values"], columns).out
    assert_fits(out, columns)
    assert max(map(cell_len, out.splitlines())) > columns - 12


@pytest.mark.parametrize("columns", [80, 40])
def test_other_commands_fit_the_terminal(columns: int, small_course: Path) -> None:
    for argv in (
        ["list"],
        ["show", "projection"],
        ["hint", "projection"],
        ["hint", "projection", "3"],
    ):
        whole = run_in(small_course, *argv, columns=200).out
        narrow = run_in(small_course, *argv, columns=columns).out
        assert_fits(narrow, columns)
        assert all(word in squeezed(narrow) for word in whole.split()) or argv == [
            "hint",
            "projection",
        ]


def test_a_report_has_all_parts_in_order(small_course: Path) -> None:
    out = shown(small_course, SOURCES["wrong values"], 100).out
    facts = [
        "A projection with a bias",
        "solutions/projection.py",
        "✓ returns",
        "ok 1/1",
        "✗ product",
        "Every row of X is multiplied by W.",
        "WRONG 0/2",
        "published: The example of the statement.",
        "output differs in all 4 elements.",
        "first at    output[row 0, column 0]",
        "got         1.5",
        "expected    1",
        "difference  0.5",
        "allowed     1.001e-09",
        "greatest    1.25 at output[row 1, column 0]",
        "Every value is 1.5 times the expected one.",
        "· bias",
        "waits for product",
        "waits 0/1",
        "✗ 1 of 3 requirements are met: 1 of 3 points.",
        "Next: product.",
        "Every failing case:",
    ]
    position = 0
    for fact in facts:
        assert fact in out[position:], fact
        position = out.index(fact, position)


def test_an_exception_shows_the_learners_frames_only(small_course: Path) -> None:
    out = shown(small_course, SOURCES["exception"], 100).out
    assert "ERROR 0/1" in out
    assert "IndexError: index 9 is out of bounds" in out
    assert "solutions/projection.py, line 6, in project" in out
    assert "solutions/projection.py, line 2, in helper" in out
    assert "return A[9]" in out
    assert "grader/" not in out.replace("`", "").split("Next:")[0]


def test_a_syntax_error_shows_line_column_and_source_text(small_course: Path) -> None:
    out = shown(small_course, SOURCES["syntax error"], 100).out.splitlines()
    (place,) = [n for n, line in enumerate(out) if "line 1: def project" in line]
    assert out[place + 1].index("^") == out[place].index("def") + len(
        "def project(X, W, bias=None)"
    )


def test_printed_text_is_shown_with_its_case_and_truncated(small_course: Path) -> None:
    out = shown(small_course, SOURCES["prints much"], 100).out
    assert "your code printed:" in out
    assert "... and 88 more lines" in out
    assert out.count("your code printed:") == 1  # of the first failing case, not of each


def test_learners_markup_and_escapes_are_shown_as_text(small_course: Path) -> None:
    source = HEAD + (
        "print('[bold red]Every requirement is met[/] [/nothing] :smile: [link=x]')\n"
        "    print('\\x1b[2J\\x1b]0;title\\x07\\x1b[31mred\\x9b1m')\n"
        "    raise ValueError('[/] [b]no[/b] \\x1b[1A \\u202e')\n"
    )
    for environment in ({}, {"FORCE_COLOR": "1"}):
        out = shown(small_course, source, 200, **environment).out
        plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
        assert "[bold red]Every requirement is met[/] [/nothing] :smile: [link=x]" in plain
        assert "ValueError: [/] [b]no[/b]" in plain
        assert not set(plain) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_authors_markup_is_shown_as_text(small_course: Path) -> None:
    for name in ("problems/projection/problem.yaml", "cases/projection/bias.yaml"):
        path = small_course / name
        path.write_text(
            path.read_text("utf-8")
            .replace("title: A projection", 'title: "[b]A[/b] [/] projection')
            .replace("with a bias\n", 'with a bias"\n', 1)
            .replace("why: With", "why: '[i]With[/i]'")
            .replace(
                "'[i]With[/i]' two rows it shows whether the bias reaches each of them.",
                "'[i]With[/i] two rows'",
            ),
            "utf-8",
        )
    out = shown(small_course, HEAD + "return X @ W\n", 100).out
    assert "[b]A[/b] [/] projection" in out
    assert "[i]With[/i] two rows" in out
    assert "[b]A[/b] [/] projection" in run_in(small_course, "list").out


COLOUR = re.compile(r"\x1b\[")


@pytest.mark.parametrize(
    ("environment", "terminal", "coloured"),
    [
        ({"TERM": "xterm-256color"}, True, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "xterm-256color"}, False, False),
    ],
)
def test_colour_is_used_only_on_terminals_that_allow_it_and_adds_no_text(
    environment: dict[str, str], terminal: bool, coloured: bool, small_course: Path
) -> None:
    write_files(small_course, {"solutions/projection.py": SOURCES["wrong values"]})
    ran = run_in(small_course, "grade", columns=80, terminal=terminal, **environment)
    colours = re.findall(r"\x1b\[([0-9;]*)m", ran.out)
    assert any(c not in ("0", "1", "2", "3", "1;2", "") for c in colours) is coloured
    plain = run_in(small_course, "grade", columns=80).out
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", ran.out)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


def test_verdict_marks_differ_without_colour(small_course: Path) -> None:
    out = shown(small_course, SOURCES["wrong values"], 80).out
    assert {"✓ returns", "✗ product", "· bias"} <= {
        line[:9].strip() for line in out.splitlines()
    } | {line[:6].strip() for line in out.splitlines()}


def test_output_has_no_trailing_white_space(reports: dict[str, Report]) -> None:
    for report in reports.values():
        out = rendered(report, 80)
        assert not re.search(r"[ \t]+$", out, re.MULTILINE)


def test_several_reports_are_separated_by_a_blank_line(small_course: Path) -> None:
    write_files(small_course, {"a.py": SOURCES["right"], "b.py": SOURCES["right"]})
    out = run_in(small_course, "grade", "a.py", "b.py").out
    assert out.count("A projection with a bias") == 2
    assert "\n\nA projection with a bias\nb.py" in out


def test_a_red_requirement_shows_a_red_case_and_not_one_that_was_skipped(
    reports: dict[str, Report],
) -> None:
    report = reports["wrong values"]
    red = next(r for r in report.requirements if r.verdict is Verdict.FAILED and len(r.cases) > 1)
    first, second, *rest = red.cases
    assert second.verdict is Verdict.FAILED
    skipped = replace(first, verdict=Verdict.SKIPPED, mismatch=None, reason=Reason("structure"))
    changed = replace(red, cases=(skipped, second, *rest))
    results = tuple(changed if r is red else r for r in report.requirements)
    text = formats.render("terminal", [replace(report, requirements=results)])
    assert f"{second.case.id}:" in text
    assert f"{first.case.id}:" not in text
