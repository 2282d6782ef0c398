"""Notebooks as submissions, and `grader.grade` called in a notebook."""

from __future__ import annotations

import html
import io
import json
import re
import subprocess
import sys
import sysconfig
import time
import tokenize
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY, run_in
from hypothesis import given
from hypothesis import strategies as st

from grader import explain, grade, notebook
from grader.errors import UsageError
from grader.submission import MOST_NOTEBOOK_BYTES

RIGHT = "def project(X, W, bias=None):\n    return X @ W if bias is None else X @ W + bias"
WRONG = "def project(X, W, bias=None):\n    print('hello')\n    return X @ W"


def cells(*sources: str, **metadata: object) -> bytes:
    """Return a notebook with these code cells, as Jupyter saves it."""
    made: list[dict[str, Any]] = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        | {"source": source.splitlines(keepends=True)}
        for source in sources
    ]
    document = {"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document).encode()


def script(*sources: str, entry_point: str = "project") -> notebook.Script:
    found = notebook.read(cells(*sources), entry_point)
    assert isinstance(found, notebook.Script), found
    return found


def grade_notebook(course: Path, data: bytes) -> tuple[int, str]:
    path = course / "solutions" / "projection.ipynb"
    path.write_bytes(data)
    ran = run_in(course, "grade", "solutions/projection.ipynb")
    assert "Traceback" not in ran.err, ran.err
    return ran.code, ran.out


# --- a notebook as a submission ---------------------------------------------------------------


def test_a_right_notebook_passes(small_course: Path) -> None:
    code, out = grade_notebook(small_course, cells("import numpy as np", RIGHT))
    assert (code, "Every requirement is met" in out) == (0, True)


def test_a_notebook_and_an_equivalent_file_get_the_same_verdicts(small_course: Path) -> None:
    verdicts = []
    for name, data in (
        ("projection.ipynb", cells("%time 1", WRONG, "project(1, 2)")),
        ("projection.py", WRONG.encode()),
    ):
        (small_course / "solutions" / name).write_bytes(data)
        out = run_in(small_course, "grade", f"solutions/{name}", "--format", "json").out
        [report] = json.loads(out)["reports"]
        verdicts.append(
            [[r["verdict"], [(c["id"], c["verdict"]) for c in r["cases"]]]
             for r in report["requirements"]]
        )  # fmt: skip
    assert verdicts[0] == verdicts[1]
    assert verdicts[0][2][0] == "failed"


def test_cells_after_the_entry_point_do_not_run(small_course: Path) -> None:
    after = "from grader import grade\nraise SystemExit('never')"
    code, _ = grade_notebook(small_course, cells(RIGHT, after))
    assert code == 0


def test_the_last_definition_of_the_entry_point_is_graded(small_course: Path) -> None:
    code, _ = grade_notebook(small_course, cells(WRONG, "print('no')", RIGHT, "1/0"))
    assert code == 0


@pytest.mark.parametrize(
    ("definition", "kept"),
    [
        ("def project(X): pass", True),
        ("async def project(X): pass", True),
        ("class project: pass", True),
        ("project = lambda X: X", True),
        ("@decorated\ndef project(X): pass", True),
        ("project == 3", False),
        ("def projection(X): pass", False),
        ("    def project(self): pass", False),
        ("# def project(X): pass", False),
    ],
)
def test_only_top_level_definitions_and_assignments_define_the_entry_point(
    definition: str, kept: bool
) -> None:
    ends_there = script("x = 1", definition, "y = 2").source.endswith(f"{definition}\n")
    assert ends_there is kept


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("%matplotlib inline", ""),
        ("!pip install numpy", ""),
        ("    %time x", "    pass"),
        ("if True:\n    !ls\nx = 1", "if True:\n    pass\nx = 1"),
        ("files = !ls", "files = None"),
        ("t = %timeit -o 1", "t = None"),
        ("a.b, c = !ls", "a.b, c = None"),
        ("np.exp?", ""),
        ("?np.exp", ""),
        ("np.exp??", ""),
        ("%%time\nx = 1", "\nx = 1"),
        ("%%capture out\n\nx = 1", "\n\nx = 1"),
        ("%%bash\nrm -rf /", "\n"),
        ("%%writefile a.py\nx = (", "\n"),
        ("!cp a \\\n  b\nx = 1", "\n\nx = 1"),
    ],
)
def test_magics_are_removed_and_line_numbers_kept(source: str, left: str) -> None:
    assert script(source, RIGHT).source == f"{left}\n{RIGHT}\n"


@pytest.mark.parametrize(
    "source",
    [
        "x = 7 % 3",
        "x = (7\n  % 3)",
        "x = 7 \\\n  % 3",
        's = """\n%d!\n!ls\n""" % 3',
        "s = '''\n%time\n'''",
        "s = [\n  '#', \"[\",\n  '%s'\n  % 3,\n]",
        "x = 1  # a ( in a comment\ny = 2",
        "x = '\\\\'\ny = '(' # )\nz = 1",
        "if x != 3: pass",
        "f = lambda: not x",
        "x = f('a \\\n(b', c)\ny = 1",
        "x = f('a, \\\n  b'\n  % c)",
        'x = """a\nb%s""" \\\n  % y',
        'def f():\n    """It.\n\n    %time x\n    """',
    ],
)
def test_python_code_that_looks_like_a_magic_is_kept(source: str) -> None:
    compile(source, "<cell>", "exec")
    assert script(source, RIGHT).source == f"{source}\n{RIGHT}\n"


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("x = f('a \\\nb', c)\n!ls", "x = f('a \\\nb', c)\n"),
        ("x = ('a(' \\\n'b')\n!ls", "x = ('a(' \\\n'b')\n"),
        ("x = 'a\\\n(b'\n!ls", "x = 'a\\\n(b'\n"),
        ("x = 1 # \\\n!ls", "x = 1 # \\\n"),
    ],
)
def test_a_magic_after_a_multi_line_statement_is_removed(source: str, left: str) -> None:
    assert script(source, RIGHT).source == f"{left}\n{RIGHT}\n"


NOT_A_STATEMENT = {
    tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER
}  # fmt: skip


def statements(source: str) -> list[int]:
    """Return the lines, from 0, at which statements begin by the standard library's tokenizer."""
    found: list[int] = []
    ended = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NOT_A_STATEMENT:
            if ended:
                found.append(token.start[0] - 1)
            ended = token.type == tokenize.NEWLINE
    return found


LIBRARY = sorted(Path(sysconfig.get_path("stdlib")).glob("[a-d]*.py"))


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_a_magic_before_any_statement_of_the_standard_library_is_removed(path: Path) -> None:
    source = path.read_text("utf-8").replace("\f", "")
    begins = set(statements(source))
    given, left = [], []
    for number, line in enumerate(source.removesuffix("\n").split("\n")):
        indent = line[: len(line) - len(line.lstrip())]
        if number in begins:
            given.append(f"{indent}!ls")
            left.append(f"{indent}pass" if indent else "")
        given.append(line)
        left.append(line)
    read = script("\n".join(given), entry_point="nothing").source
    assert read.split("\n")[:-1] == left


PIECES = [
    "'", '"', "\'\'\'", '"""', "\\", "\n", "\n", "(", ")", "[", "}", "#", "%", "%%", "!", "?", "=",
    " ", "    ", "x", "f", "rb", "%%time", "%%bash", "!ls", "x = ", "def project(", ":", "\t",
    "\r", "\f", "\0", "\x85", "\u2028", "é", "\ud800", "🐍",
]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), max_size=3))
def test_hostile_cells_keep_their_line_numbers(sources: list[str]) -> None:
    made = [source for source in sources if source.strip()]
    read = script(*made, RIGHT)
    lines = read.source.split("\n")[:-1]
    assert len(lines) == len(read.line_map)
    assert lines[-2:] == RIGHT.split("\n")
    kept = [re.sub("\r\n?", "\n", source).removesuffix("\n").split("\n") for source in made]
    counts = Counter(cell for cell, _ in read.line_map)
    assert [counts[n] for n in range(1, len(made) + 1)] == [len(k) for k in kept]


def test_frames_are_shown_with_cell_and_line(small_course: Path) -> None:
    body = "def project(X, W, bias=None):\n\n    return [][3]"
    _, out = grade_notebook(small_course, cells("import numpy as np\n\n# two", "", body))
    assert "solutions/projection.ipynb, cell 2, line 3, in project" in out
    assert "return [][3]" in out


def test_a_syntax_error_is_shown_with_cell_and_line(small_course: Path) -> None:
    _, out = grade_notebook(small_course, cells("x = 1", "y = 2\ndef project(X:\n    pass"))
    assert re.search(r"SyntaxError: [^\n]* \(cell 2\)\n\s+line 2: def project\(X:\n", out)


def test_a_timeout_is_shown_with_cell_and_line(small_course: Path) -> None:
    problem = small_course / "problems" / "projection" / "problem.yaml"
    problem.write_text(problem.read_text().replace("seconds: 2", "seconds: 0.2"))
    body = "def project(X, W, bias=None):\n    while True:\n        pass"
    _, out = grade_notebook(small_course, cells("x = 1", body))
    words = " ".join(out.replace("│", " ").split())
    assert re.search(r"did not finish .*projection.ipynb, cell 2, line [23], in project", words)


def test_a_warning_is_shown_with_cell_and_line(small_course: Path) -> None:
    body = RIGHT.replace("    return", "    import warnings; warnings.warn('careful')\n    return")
    (small_course / "solutions" / "projection.ipynb").write_bytes(cells("x = 1", body))
    path = small_course / "solutions" / "projection.ipynb"
    results = grade(path, root=small_course).report.requirements
    notes = [note for r in results for case in r.cases for note in explain.notes(case)]
    assert "UserWarning: careful (cell 2, line 2)" in notes


def test_a_learners_message_about_lines_is_not_rewritten(small_course: Path) -> None:
    words = "see (line 3) of projection.ipynb, line 4"
    body = f"def project(X, W, bias=None):\n    raise ValueError({words!r})"
    _, out = grade_notebook(small_course, cells("x = 1\ny = 2", "z = 3", body))
    assert f"ValueError: {words}" in out
    assert "solutions/projection.ipynb, cell 3, line 2, in project" in out


def test_a_nul_byte_is_reported_with_cell_and_line(small_course: Path) -> None:
    _, out = grade_notebook(small_course, cells("x = 1", "y = 2\n\x00"))
    assert re.search(r"NUL byte[^\n]* \(cell 2\)\n\s+line 2\n", out)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "cannot be read"),
        (b"{", "cannot be read"),
        (b"\xff\xfe{}", "cannot be read"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"x": ' + b"9" * 5000 + b"}", "cannot be read"),
        (b"[]", "not a notebook"),
        (b"3", "not a notebook"),
        (b"{}", "no list of cells"),
        (b'{"cells": {}}', "no list of cells"),
        (b'{"cells": []}', "no code"),
        (b'{"cells": [1, null, {}, {"cell_type": "code", "source": 3}]}', "no code"),
        (cells("x", kernelspec={"language": "R"}), "written in r"),
        (cells("x", language_info={"name": "julia"}), "written in julia"),
        (cells("x = 1\n" * 300_000), "more than 1 MiB of code"),
        (b" " * (MOST_NOTEBOOK_BYTES + 1), "larger than 10 MiB"),
        (cells("x = '\\x00'", "\x00"), "NUL"),
    ],
)
def test_an_invalid_notebook_is_refused_with_a_reason(
    small_course: Path, data: bytes, says: str
) -> None:
    code, out = grade_notebook(small_course, data)
    assert code == 1
    assert "cannot be graded" in out
    assert says in " ".join(out.split())


def test_unusual_notebooks_that_jupyter_accepts_are_graded(small_course: Path) -> None:
    document = json.loads(cells(RIGHT))
    document["cells"][0]["source"] = RIGHT.replace("\n", "\r\n")
    document["cells"].insert(0, {"cell_type": "markdown", "source": ["# text\n", "```\n"]})
    document["cells"].insert(0, {"cell_type": "code", "source": ["x = '\ud800'"]})
    code, out = grade_notebook(small_course, b"\xef\xbb\xbf" + json.dumps(document).encode())
    assert code == 0, out


@pytest.mark.parametrize("prefix", ["", "x = ", "%"])
@pytest.mark.parametrize("piece", ["'\\'", '"', " ", "(", "a."])
def test_reading_a_hostile_cell_takes_linear_time(prefix: str, piece: str) -> None:
    data = cells(prefix + piece * 250_000, RIGHT)
    began = time.process_time()
    script = notebook.read(data, "project")
    assert isinstance(script, notebook.Script)
    assert "def project" in script.source
    assert time.process_time() - began < 20  # hours, if it grew with the square


def test_a_notebook_without_the_entry_point_lists_its_functions(small_course: Path) -> None:
    _, out = grade_notebook(small_course, cells("def projekt(X, W): pass"))
    assert "projekt" in out


# --- from grader import grade -----------------------------------------------------------------


def project(X, W, bias=None):  # type: ignore[no-untyped-def]
    """Double the product and forget the bias."""
    print("::error::hello <b> [b]")  # noqa: T201 (what a learner prints)
    return 2 * np.asarray(X) @ W


def test_grading_a_function_returns_the_terminal_report(small_course: Path) -> None:
    report = grade(project, root=small_course)
    assert not report.passed
    assert (report.earned, report.possible) == (1, 3)
    text = str(report)
    assert text == repr(report)
    assert "✗ product" in text
    assert "Every value is 2 times the expected one." in text
    assert "::error::hello <b> [b]" in text
    assert "Every failing case: `grade(project, 'projection', verbose=True)`" in text


def test_a_reports_text_is_the_commands_output(small_course: Path) -> None:
    (small_course / "solutions" / "projection.py").write_text(WRONG)
    report = grade("projection", root=small_course)
    printed = run_in(small_course, "grade", "projection").out
    marks = [line for line in printed.splitlines() if line[:1] in "✓✗·│ "]
    assert marks == [line for line in str(report).splitlines() if line[:1] in "✓✗·│ "]


def test_a_reports_html_has_the_same_text(small_course: Path) -> None:
    report = grade(project, root=small_course)
    shown = html.unescape(re.sub(r"<[^<]*?>", "", report._repr_html_().replace("&lt;b&gt;", "≤")))
    plain = [line.rstrip() for line in shown.replace("≤", "<b>").splitlines()]
    assert plain[: len(str(report).splitlines())] == str(report).splitlines()
    assert "<b>" not in report._repr_html_()


def test_verbose_shows_every_failing_case(small_course: Path) -> None:
    text = str(grade(project, root=small_course, verbose=True))
    assert "published: " in text
    assert "drawn: " in text
    assert "verbose=True" not in text


def test_grade_accepts_a_path_a_slug_and_a_function(small_course: Path) -> None:
    path = small_course / "mine.py"
    path.write_text(RIGHT)
    assert grade(path, root=small_course).passed
    assert grade(str(path), "projection", root=small_course).passed
    assert not grade("projection", root=small_course).passed
    assert not grade(lambda X, W, bias=None: X, "projection", root=small_course).passed


def test_a_function_without_a_known_exercise_raises_usage_error(small_course: Path) -> None:
    with pytest.raises(UsageError, match="which exercise does <lambda> solve"):
        grade(lambda X: X, root=small_course)
    with pytest.raises(UsageError, match="Did you mean 'projection'"):
        grade(project, "projektion", root=small_course)
    with pytest.raises(UsageError, match="no file"):
        grade("nobody.py", root=small_course)


def test_a_function_that_raises_is_shown_with_its_line(small_course: Path) -> None:
    def project(X, W, bias=None):  # type: ignore[no-untyped-def]
        return [][3]

    text = str(grade(project, root=small_course))
    assert "IndexError: list index out of range" in text
    assert "return [][3]" in text


def test_verbose_does_not_show_hidden_cases(small_course: Path) -> None:
    path = small_course / "cases" / "projection" / "product.yaml"
    path.write_text(f"hidden: true\n{path.read_text()}")
    text = str(grade(project, root=small_course, verbose=True))
    assert "A hidden case is not right." in text
    assert "first at" not in text


def test_importing_the_package_imports_no_other_module() -> None:
    code = (
        "import sys; before = set(sys.modules); import grader; grader.__version__\n"
        "print(*set(sys.modules) - before)\n"
        "from grader import grade; print('numpy' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == ["grader", "True"]


def test_an_unknown_attribute_of_the_package_raises_attribute_error() -> None:
    import grader

    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        grader.nonsense  # noqa: B018
