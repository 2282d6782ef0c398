"""Text that a learner controls does no harm in any place that prints it.

The places: the terminal's report and every other format (`tests/formats` has more), annotations and
their fence, `watch`, complaints on standard error, `batch` (plan, tables, CSV, reports), the pytest
plug-in, and `grader.grade` in a notebook. The texts: names of files, of the declared encoding, of
a notebook's language, of types and functions, source lines, messages, warnings, output.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
import unicodedata
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from conftest import SMALL_COURSE, run_in, write_files

from grader import formats, grade
from grader.text import clean, clean_line, without_commands

pytest_plugins = ["pytester"]

MARKS = (
    "\x1b[2J\x1b]0;title\x07\r\x9b\u202e\u00ad\u180e\u2066\ufff9\ufeff\U000e0041\u034f\u3164\ue000"
)
HOSTILE = f"{MARKS}\n::error::forged\n  ::stop-commands::x\n##[add-path]/evil\n{MARKS}"
"""escapes, marks of direction, invisible characters, and workflow commands of GitHub Actions"""
FILE_NAME = f"a{HOSTILE.replace('/', '')}.py"

RAISES = f"""\
import sys, warnings
HOSTILE = {HOSTILE!r}
print(HOSTILE, file=sys.stderr)
Error = type("Error" + HOSTILE, (Exception,), {{}})
Hint = type("Hint" + HOSTILE, (UserWarning,), {{}})
warnings.warn(HOSTILE, Hint)
def project(X, W, bias=None):
    print(HOSTILE)
    warnings.warn(HOSTILE, Hint)
    raise Error(HOSTILE)  # {HOSTILE.splitlines()[0]}
"""
REFUSED = f"raise type('Error' + {HOSTILE!r}, (Exception,), {{}})({HOSTILE!r})\n"
OTHER_NAME = f"globals()[{HOSTILE!r}] = lambda: 1\n"
SOURCES = {"raises": RAISES, "is refused": REFUSED, "defines another name": OTHER_NAME}
PAUSE = "\u23f8\ufe0f"
"""the sign of a waiting requirement in Markdown, which is not a learner's"""
ALLOWED = {"\n", "\t"}


def check(text: str, *, in_actions: bool = False) -> None:
    """Check that no character controls a terminal or cannot be seen, and no line is a command."""
    bad = {c for c in text if c not in ALLOWED and not clean(c)}
    assert not {hex(ord(c)) for c in bad}
    if in_actions:
        assert not re.findall(r"^\s*::(?!stop-commands::[0-9a-f]{32}$|[0-9a-f]{32}::$)", text, re.M)
        assert "##[" not in text


@pytest.mark.parametrize("category", ["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])
def test_no_character_of_a_category_that_cannot_be_seen_stays(category: str) -> None:
    left = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) == category and clean(f"a{chr(code)}b") != "ab"
    ]
    assert left == (["0x9", "0xa"] if category == "Cc" else [])


@pytest.mark.parametrize(
    "character",
    [
        *("\u00ad", "\u034f", "\u115f", "\u17b4", "\u180b", "\u180e", "\u200b", "\u200d"),
        *("\u2060", "\u3164", "\ufe0f", "\ufff9", "\uffa0"),
        *("\U0001d173", "\U000e0001", "\U000e0100"),
    ],
)
def test_characters_that_unicode_calls_default_ignorable_are_removed(character: str) -> None:
    assert clean(f"a{character}b") == "ab"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("naïve žluťoučký 日本語 Ελλάδα עברית", "naïve žluťoučký 日本語 Ελλάδα עברית"),
        ("e\u0301 n\u0303 \u0915\u094d\u0937", "e\u0301 n\u0303 \u0915\u094d\u0937"),
        ("a\u00a0b\u3000c", "a\u00a0b\u3000c"),
        ("🎉 👍🏽", "🎉 👍🏽"),
        ("👩\u200d💻 ❤\ufe0f", "👩💻 ❤"),
        ("x = 1\n\ty\r\n", "x = 1\n\ty\n"),
    ],
)
def test_letters_marks_and_emoji_stay_readable(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize(
    ("text", "spoiled"),
    [
        ("::error::x", ": :error::x"),
        ("a\n \t::x", "a\n \t: :x"),
        ("x ##[y]", "x # #[y]"),
        ("A::B, [::2]", "A::B, [::2]"),
        ("# heading", "# heading"),
    ],
)
def test_workflow_commands_are_spoiled_and_other_text_stays(text: str, spoiled: str) -> None:
    assert without_commands(text) == spoiled


@pytest.mark.parametrize("name", formats.FORMATS)
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_format_is_harmless(name: str, source: str, small_course: Path) -> None:
    write_files(small_course, {FILE_NAME: source})
    ran = run_in(small_course, "grade", FILE_NAME, "--format", name)
    assert ran.code == 1, ran.err
    check((ran.out + ran.err).replace(PAUSE, ""))
    if name in ("json", "gradescope"):
        check("".join(strings(json.loads(ran.out))))


def strings(node: object) -> Sequence[str]:
    if isinstance(node, dict):
        return [text for item in node.values() for text in strings(item)]
    if isinstance(node, list):
        return [text for item in node for text in strings(item)]
    return [node] if isinstance(node, str) else []


@pytest.mark.parametrize("name", sorted(formats.FORMATS.keys() - {"github", "terminal"}))
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_format_that_is_printed_in_actions_contains_no_command(
    name: str, source: str, small_course: Path
) -> None:
    write_files(small_course, {FILE_NAME: source})
    ran = run_in(small_course, "grade", FILE_NAME, "--format", name, GITHUB_ACTIONS="true")
    assert ran.code == 1, ran.err
    check(ran.out.replace(PAUSE, ""), in_actions=True)
    if name in ("json", "gradescope", "classroom"):
        json.loads(ran.out)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_line_of_watch_is_one_harmless_line(source: str, small_course: Path) -> None:
    from grader import runners
    from grader.catalog import Course
    from grader.commands.watch import _line, _Watch
    from grader.options import GradingOptions

    write_files(small_course, {"solutions/projection.py": source})
    with runners.choose("process")[0] as runner:
        watch = _Watch(Course(small_course), ["projection"], runner, GradingOptions())
        watch.grade("projection")
    line = _line("projection", watch.shown["projection"]).plain
    check(line)
    assert "\n" not in line


@pytest.mark.parametrize("command", ["grade", "batch"])
def test_a_complaint_that_names_a_file_is_harmless(command: str, small_course: Path) -> None:
    write_files(small_course, {f"class/{FILE_NAME}": "x = 1\n", "class/b/c.py": ""})
    words = {"grade": ["nothing" + FILE_NAME], "batch": ["class"]}[command]
    ran = run_in(small_course, command, *words, GITHUB_ACTIONS="true")
    assert ran.code == 2
    check(ran.out + ran.err, in_actions=True)


@pytest.mark.parametrize("source", [RAISES, REFUSED], ids=["raises", "is refused"])
def test_batch_prints_and_writes_harmless_text_in_actions(source: str, small_course: Path) -> None:
    with zipfile.ZipFile(small_course / "class.zip", "w") as out:
        out.writestr(f"ada{HOSTILE}/projection.py", source)
        out.writestr(f"bob{MARKS}/one.py", source)
        out.writestr(f"bob{MARKS}/two{HOSTILE}.py", source)
        out.writestr(f"../{HOSTILE}", source)
        out.writestr(f"{HOSTILE}/eve.zip", b"no ZIP")
    ran = run_in(
        small_course,
        *("batch", "class.zip", "--skip-ambiguous", "--output", "csv=class.csv"),
        *("--output", "json=class.json", "--reports", "markdown=reports"),
        GITHUB_ACTIONS="true",
    )
    assert ran.code == 1, ran.err
    check(ran.out + ran.err, in_actions=True)
    assert "  : :error::forged" in ran.err, "the name is shown"
    with (small_course / "class.csv").open(encoding="utf-8-sig", newline="") as file:
        for row in csv.reader(file):
            check("".join(row))
    check("".join(strings(json.loads((small_course / "class.json").read_text("utf-8")))))
    for path in (small_course / "reports").iterdir():
        check(path.name + path.read_text("utf-8").replace(PAUSE, ""))


def test_the_name_of_an_encoding_is_cut_and_harmless(small_course: Path) -> None:
    source = b"# coding: x" + b"-" * 100_000 + b"\x1b[2J\n"
    (small_course / "solutions/projection.py").write_bytes(source)
    ran = run_in(small_course, "grade")
    assert ran.code == 1
    assert "the file declares the encoding x-------" in ran.out
    assert len(ran.out) < 2000
    check(ran.out + ran.err)


def test_the_language_of_a_notebook_is_one_harmless_line(small_course: Path) -> None:
    document = {
        "cells": [{"cell_type": "code", "source": "x = 1"}],
        "metadata": {"kernelspec": {"language": HOSTILE, "display_name": HOSTILE}},
    }
    path = small_course / "solutions/projection.ipynb"
    path.write_text(json.dumps(document))
    ran = run_in(small_course, "grade", "solutions/projection.ipynb", "--format", "json")
    check("".join(strings(json.loads(ran.out))))
    (report,) = json.loads(ran.out)["reports"]
    assert report["error"]["message"].splitlines() == [
        f"the notebook is written in {clean_line(HOSTILE, 40).lower()}, not in Python"
    ]


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_pytest_prints_harmless_text(
    source: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SMALL_COURSE, pytester.path, ignore=ignore, dirs_exist_ok=True)
    (pytester.path / FILE_NAME).write_text(source)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    argv = ["-p", "grader.pytest_plugin", "-rA", "cases", "--submission", FILE_NAME]
    result = pytester.runpytest_inprocess(*argv, "-p", "no:terminalprogress")
    assert result.ret == 1
    text = "\n".join(line for line in result.outlines if "--submission" not in line)
    check(text, in_actions=True)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_report_in_a_notebook_is_harmless(source: str, small_course: Path) -> None:
    write_files(small_course, {FILE_NAME: source})
    report = grade(small_course / FILE_NAME, "projection", root=small_course)
    check(repr(report) + report._repr_html_())


RIGHT = "def project(X, W, bias=None):\n    return X @ W if bias is None else X @ W + bias\n"


@pytest.mark.parametrize("name", formats.FORMATS)
@pytest.mark.parametrize("source", [RIGHT, "raise SystemExit\n"], ids=["right", "refused"])
def test_a_report_says_in_every_format_that_code_is_not_confined(
    name: str, source: str, small_course: Path
) -> None:
    write_files(small_course, {"solutions/projection.py": source})
    for runner in ("process", "inprocess"):
        report = run_in(small_course, "grade", "--runner", runner, "--format", name)
        said = f"The runner '{runner}' does not confine learner code"
        assert said in " ".join(report.out.split())
        assert report.err == ""
    assert "confine" not in run_in(small_course, "grade", "--format", name).out


def test_pytest_and_notebooks_say_that_code_is_not_confined(
    small_course: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = grade("projection", root=small_course, runner="process")
    assert "note: The runner 'process' does not confine learner code" in repr(report)
    assert "does not confine learner code" in report._repr_html_()
    shutil.copytree(SMALL_COURSE, pytester.path, dirs_exist_ok=True)
    (pytester.path / "conftest.py").write_text(
        "from grader import runners\nchoose = runners.choose\n"
        "runners.choose = lambda: choose('process')\n"
    )
    result = pytester.runpytest_subprocess("-p", "grader.pytest_plugin", "cases")
    result.stdout.fnmatch_lines(["*NotConfinedWarning: the runner 'process' does not confine*"])
