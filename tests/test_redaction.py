"""Every command and format shows of a hidden case only whether it passed.

The tests run every command of the parser and every format of `FORMATS`, so a new one is tested
too. They look for *markers*: texts that only a hidden case can cause.
"""

from __future__ import annotations

import argparse
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import run_in

import grader
from grader import formats, runners
from grader.catalog import Course
from grader.cli import parser
from grader.formats import FORMATS
from grader.options import GradingOptions
from grader.pipeline import ProblemGrader

ARGUMENT = 8675309.25
MARKERS = {
    "the id": ("zebra",),
    "the reason": ("quokka",),
    "an argument": ("8675309", "8.67531"),
    "the expected value": ("17350618", "1.73506"),
    "the returned value": ("75260990", "7.5261", "7.526099"),
    "what was printed": ("26025927",),
    "the exception": ("43376546",),
    "a warning": ("60727164",),
}
"""spellings of each fact that only a hidden case has or causes"""

SUBMISSION = """\
import warnings

seen = []

def twice(x):
    seen.extend(x.tolist())
    print("three times:", 3 * x[0], "seen so far:", seen)
    if x[0] > 1e6:
        warnings.warn(f"seven times is {7 * x[0]}")
        if len(x) == 2:
            raise ValueError(f"five times is {5 * x[0]}")
        return x * x
    return x + x
"""
"""right in all cases except the hidden ones; prints all its inputs"""

HIDDEN = f"""\
requirement: doubles
hidden: true
cases:
  - id: zebra-squared
    why: A quokka that returns.
    arguments: {{x: [{ARGUMENT}]}}
    expected: [{2 * ARGUMENT}]
    decimals: 2
  - id: zebra-raised
    why: A quokka that raises.
    arguments: {{x: [{ARGUMENT}, 1.0]}}
"""

AUTHORED = ("problems", "cases", "solutions")
FOR_AUTHORS = {
    "new": "writes the files of an exercise without cases",
    "audit": "runs no submission, and is there to tell which case rejects what",
    "doctor": "runs no submission and reads no case",
}


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with two hidden cases, and a submission that is wrong only in these."""
    root = tmp_path / "course"
    for folder in AUTHORED:
        (root / folder).mkdir(parents=True)
    assert run_in(root, "new", "twice").code == 0
    (root / "cases" / "twice" / "hidden.yaml").write_text(HIDDEN)
    (root / "solutions" / "twice.py").write_text(SUBMISSION)
    return root


def commands() -> list[str]:
    """Return the names of all commands."""
    (choices,) = (a.choices for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    return list(choices)


def written(course: Path) -> Iterator[str]:
    """Yield name and content of every file that the commands wrote.

    Left out is the database of `grader batch`, from which instructors may export hidden cases.
    """
    for path in sorted(course.rglob("*")):
        name = path.relative_to(course)
        if path.is_file() and name.parts[0] not in AUTHORED and name.name != "batch.db":
            yield f"{name}\n{path.read_text('utf-8', errors='replace')}"


def told(text: str) -> list[str]:
    """Return the facts about hidden cases that a text contains."""
    return [what for what, spellings in MARKERS.items() if any(s in text for s in spellings)]


def run(course: Path, *argv: str, code: int | None = None, **environment: Any) -> str:
    """Run a command, without `code` with any exit code, and return all that it printed."""
    ran = run_in(course, *argv, **environment)
    assert code in (None, ran.code), ran.err
    return f"{ran.out}\n{ran.err}"


def outputs(option: str, *more: str) -> list[str]:
    """Return the arguments that write every format, each to a different path."""
    names = (*FORMATS, *more)
    return [word for name in names for word in (option, f"{name}=written/{option[2:]}-{name}")]


def walk_grade(course: Path) -> str:
    (course / "written").mkdir()
    texts = [run(course, "grade", "-v", *outputs("--output"), code=1)]
    texts += [run(course, "grade", "-v", "--format", name, code=1) for name in FORMATS]
    texts.append(run_in(course, "grade", "-v", terminal=True).out)
    summary = str(course / "written" / "summary.md")
    texts.append(run(course, "grade", code=1, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=summary))
    return "\n".join(texts)


def walk_batch(course: Path) -> str:
    (course / "written").mkdir()
    options = [*outputs("--output", "csv"), *outputs("--reports")]
    graded = run(course, "batch", "solutions", *options, code=1)
    return graded + run(course, "batch", "--export", *options, code=1)


def walk_watch(course: Path) -> str:
    """Watch with standard output redirected, and at a terminal."""
    ends, texts = [os.pipe(), pty.openpty()], []
    for reading, writing in ends:
        watch = subprocess.Popen(
            [sys.executable, "-u", "-m", "grader", "watch", "--root", str(course)],
            stdout=writing,
            stderr=subprocess.STDOUT,
            env=os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "80"},
        )
        os.close(writing)
        text = b""
        while b" of 2 points" not in text:
            text += os.read(reading, 65536)
        watch.send_signal(signal.SIGINT)
        texts += [text, rest_of(reading)]
        assert watch.wait() == 0
        os.close(reading)
    assert all(b" ms)" not in text for text in texts), "milliseconds may tell of an input"
    return b"".join(texts).decode("utf-8", "replace")


def rest_of(descriptor: int) -> bytes:
    """Read to the end, which a terminal signals by an error."""
    read = b""
    try:
        while more := os.read(descriptor, 65536):
            read += more
    except OSError:
        pass
    return read


WALKS: dict[str, Callable[[Path], str]] = {
    "grade": walk_grade,
    "batch": walk_batch,
    "watch": walk_watch,
    "check": lambda course: run(course, "check"),
    "list": lambda course: run(course, "list", code=0),
    "show": lambda course: run(course, "show", "twice", code=0),
    "hint": lambda course: run(course, "hint", "twice", code=0),
}
"""command -> function that runs it in every mode with output and returns the output"""


def test_every_command_is_checked_or_is_for_authors() -> None:
    assert set(commands()) == WALKS.keys() | FOR_AUTHORS.keys()


@pytest.mark.parametrize("command", WALKS)
def test_no_command_shows_details_of_a_hidden_case(course: Path, command: str) -> None:
    text = WALKS[command](course)
    assert told(text) == []
    assert [name for name in written(course) if told(name)] == []


def test_a_requirement_fails_because_of_its_hidden_case(course: Path) -> None:
    text = run(course, "grade", "-v", code=1)
    assert "A hidden case is not right." in text
    assert "hidden-1" in text
    assert "hidden-2" in text
    assert "1 of 2 requirements" in text


def test_pytest_shows_no_details_of_a_hidden_case(course: Path) -> None:
    words = ["cases", "-rA", "-vv", "--junitxml=written/junit.xml", "-o", "junit_logging=all"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=course, capture_output=True, text=True
    )
    assert "2 failed, 4 passed" in ran.stdout
    assert "FAILED cases/twice/hidden.yaml::doubles::hidden-2" in ran.stdout
    assert told(ran.stdout + ran.stderr) == []
    assert [name for name in written(course) if told(name)] == []


def test_grading_from_python_shows_no_details_of_a_hidden_case(course: Path) -> None:
    names: dict[str, object] = {}
    exec(SUBMISSION, names)
    function = names["twice"]
    assert callable(function)
    for submission in (function, course / "solutions" / "twice.py"):
        graded = grader.grade(submission, "twice", root=course, verbose=True)
        assert "A hidden case is not right." in repr(graded)
        assert told(repr(graded) + graded._repr_html_() + repr(graded.report)) == []


def test_the_pipeline_hides_cases_unless_reveal_is_set(course: Path) -> None:
    path = course / "solutions" / "twice.py"
    hides, reveals = (
        ProblemGrader(Course(course), "twice", GradingOptions(reveal=r)) for r in (False, True)
    )
    with runners.choose("process")[0] as runner:
        hidden, revealed = (each.grade(path, runner) for each in (hides, reveals))
    assert told(repr(hidden)) == []
    for name in FORMATS:
        assert told(formats.render(name, [hidden])) == [], name
        assert "the id" in told(formats.render(name, [revealed])), name


def test_times_and_outcomes_of_hidden_cases_are_not_told(course: Path) -> None:
    """A hidden call could say a number by how long it takes or by the way in which it fails."""
    source = """
import sys, time

def twice(x):
    if x[0] > 1e6:
        time.sleep(1.1)
        if len(x) == 2:
            time.sleep(60)
    return x + x
"""
    (course / "solutions" / "twice.py").write_text(source)
    path = course / "solutions" / "twice.py"
    hides, reveals = (
        ProblemGrader(Course(course), "twice", GradingOptions(reveal=r)) for r in (False, True)
    )
    with runners.choose("process")[0] as runner:
        hidden, revealed = (each.grade(path, runner) for each in (hides, reveals))
    assert hidden.seconds <= 1 < 3 < revealed.seconds
    told = [
        [(c.execution.seconds, str(c.execution.outcome)) for r in report.requirements
         for c in r.cases if c.case.hidden]
        for report in (hidden, revealed)
    ]  # fmt: skip
    assert told[0] == [(0.0, "returned"), (0.0, "returned")]
    assert [outcome for _, outcome in told[1]] == ["returned", "timed_out"]


FAILURES = {
    "wrong": "return -x",
    "an exception": "raise ValueError",
    "an exit": "os._exit(3)",
    "a loop": "while True: pass",
    "no array": "return 'text'",
}


@pytest.mark.parametrize("runner", ["process", "auto"])
def test_a_hidden_call_tells_only_whether_it_passed(course: Path, runner: str) -> None:
    """It may choose among several ways to fail by its argument, and tell more than a bit so."""
    shown = set()
    file = course / "solutions" / "twice.py"
    with runners.choose(runner)[0] as chosen:
        grader = ProblemGrader(Course(course), "twice")
        for failure in FAILURES.values():
            tells = f"def twice(x):\n    if x[0] > 1e6:\n        {failure}\n    return x + x\n"
            file.write_text(f"import os\n{tells}")
            report = grader.grade(file, chosen)
            cases = [case for result in report.requirements for case in result.cases]
            verdicts = [result.verdict for result in report.requirements]
            hidden = [case for case in cases if case.case.hidden]
            shown.add(repr((report.verdict, verdicts, hidden)))
    assert len(shown) == 1, shown
    assert "failed" in shown.pop()


def test_reveal_shows_the_details_of_hidden_cases(course: Path) -> None:
    ran = run_in(course, "grade", "-v", "--reveal")
    assert told(ran.out) == list(MARKERS)
    assert "zebra-squared: A quokka that returns." in ran.out


def test_an_export_with_reveal_shows_hidden_cases_of_a_class_graded_without_it(
    course: Path,
) -> None:
    assert run_in(course, "batch", "solutions").code == 1
    (course / "written").mkdir()
    options = [*outputs("--output"), *outputs("--reports")]
    assert run_in(course, "batch", "--export", "--reveal", *options).code == 1
    for name in FORMATS:
        for place in (course / "written" / f"output-{name}", reports_of(course, name)):
            assert "the id" in told(place.read_text("utf-8")), place


def reports_of(course: Path, name: str) -> Path:
    (path,) = (course / "written" / f"reports-{name}").iterdir()
    return path


def test_cases_of_a_further_folder_are_hidden_by_the_flag(course: Path, tmp_path: Path) -> None:
    (course / "cases" / "twice" / "hidden.yaml").unlink()
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "more.yaml").write_text(HIDDEN.replace("hidden: true\n", ""))
    assert "an argument" in told(run_in(course, "grade", "-v", "--cases", str(folder)).out)
    ran = run_in(course, "grade", "-v", "--cases", str(folder), "--hidden")
    assert told(ran.out + ran.err) == []


def test_the_alias_of_a_hidden_case_never_equals_another_case_id(course: Path) -> None:
    path = course / "cases" / "twice" / "doubles.yaml"
    path.write_text(path.read_text().replace("id: small-numbers", "id: hidden-1"))
    ran = run_in(course, "grade", "-v")
    assert "hidden-2" in ran.out
    assert "hidden-3" in ran.out
