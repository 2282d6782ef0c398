"""Every consumer reads every report correctly, and the checkers detect misread reports."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import pytest

from formats import corpus
from formats.checkers import CONSUMERS
from formats.fuzz import fuzz
from formats.random_reports import Reports
from grader import formats
from grader.catalog import Course
from grader.model import Outlook, Report
from grader.pipeline import ProblemGrader
from grader.runners import choose

HERE = Path(__file__).parent
CHECKERS = {consumer: (name, check) for name, consumer, check in CONSUMERS}


@pytest.fixture(scope="module")
def graded() -> list[tuple[str, Report]]:
    """The reports on all submissions of the test data, except those that test diagnosis."""
    return list(corpus.reports(diagnosis=False))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> list[Report]:
    """A wrong, a right and a broken solution of the small course, graded in one run."""
    folder = tmp_path_factory.mktemp("solutions")
    texts = {
        "wrong": "import numpy as np\ndef project(X, W, bias=None):\n"
        "    print('##[error]x ::error::y [[ATTACHMENT|z]]')\n    print('```\\n<b>')\n"
        "    return np.zeros((len(X), len(W[0])))\n",
        "right": "def project(X, W, bias=None):\n"
        "    return X @ W if bias is None else X @ W + bias\n",
        "broken": "def project(X, W\n",
    }
    grader = ProblemGrader(Course(HERE.parent / "data" / "course"), "projection")
    runner, _ = choose()
    reports = []
    with runner:
        for name, text in texts.items():
            (folder / f"{name}.py").write_text(text)
            reports.append(grader.grade(folder / f"{name}.py", runner))
    assert [str(r.verdict) for r in reports] == ["failed", "passed", "errored"]
    return reports


@pytest.mark.parametrize("consumer", CHECKERS)
def test_a_consumer_reads_the_report_on_every_test_submission(
    graded: list[tuple[str, Report]], consumer: str
) -> None:
    name, check = CHECKERS[consumer]
    assert len(graded) >= 60
    wrong = [
        f"{submission}: {line}"
        for submission, report in graded
        for line in check(formats.render(name, [report]), [report])
    ]
    assert wrong == []


@pytest.mark.parametrize("consumer", CHECKERS)
def test_a_consumer_reads_many_reports_of_one_run(
    graded: list[tuple[str, Report]], consumer: str
) -> None:
    name, check = CHECKERS[consumer]
    reports = [report for _, report in graded]
    assert check(formats.render(name, reports), reports) == []


def test_every_consumer_reads_random_reports(capsys: pytest.CaptureFixture[str]) -> None:
    figures, complaints = fuzz(count=160, seed=20, big=0.002)
    with capsys.disabled():
        print(f"\nfuzz of the formats: {dict(figures)}")
    assert complaints == []
    assert figures["outputs of 10 MB"] >= 1
    assert figures["without a case"] >= 10


def test_the_same_seed_draws_the_same_reports() -> None:
    one, other = (formats.render("json", Reports(3).some()) for _ in range(2))
    assert one == other


Spoil = Callable[[str], str]


def replaced(old: str, new: str) -> Spoil:
    """Return a function that replaces a text, which must occur."""

    def spoil(text: str) -> str:
        assert old in text, old
        return text.replace(old, new, 1)

    return spoil


def matched(pattern: str, new: str) -> Spoil:
    """Return a function that replaces the first match of a pattern, which must match."""

    def spoil(text: str) -> str:
        changed, count = re.subn(pattern, new, text, count=1)
        assert count, pattern
        return changed

    return spoil


def in_json(path: Sequence[str | int], value: object) -> Spoil:
    """Return a function that changes one place in a JSON document; `...` removes it."""

    def spoil(text: str) -> str:
        document = json.loads(text)
        place = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        if value is ...:
            del place[path[-1]]
        return json.dumps(document, ensure_ascii=False)

    return spoil


BAD: list[tuple[str, str, Spoil]] = [
    ("Jenkins", "a control character", replaced("differs", "differs \x1b[1m")),
    ("Jenkins", "a lone surrogate", replaced("differs", "differs \ud800")),
    ("Jenkins", "an ampersand that is not escaped", replaced("differs", "differs & so")),
    ("Jenkins", "only a root element", lambda _: '<?xml version="1.0"?><testsuites/>'),
    ("Jenkins", "a failure without text", matched(r">[^<]+</failure>", "></failure>")),
    ("Jenkins", "a time that is not a number", matched(r'(<testcase [^>]*time=")', r"\1soon ")),
    ("Jenkins", "a count that is wrong", replaced('failures="', 'failures="9')),
    ("Jenkins", "a score that is wrong", matched('(name="earned" value=")', r"\g<1>7")),
    ("GitLab", "two tests with one name", replaced('name="drawn"', 'name="published"')),
    ("GitLab", "a type that its parser refuses", replaced("<failure ", '<failure type="yaml" ')),
    ("GitLab", "a link to a file of the job", replaced("[ [ATTACHMENT", "[[ATTACHMENT")),
    ("GitLab", "cut in the middle", lambda text: text[: len(text) // 2]),
    ("GitLab", "more than 30 MB", lambda text: text.replace("```", "x" * 31_000_000, 1)),
    ("GitHub Actions", "a line end in a message", replaced("%0A", "\n::add-mask::a")),
    ("GitHub Actions", "a comma in a file's name", replaced("file=", "file=a,b")),
    ("GitHub Actions", "eleven errors", lambda text: text + text.splitlines()[0] + "\n" * 1
        + "::error file=x,title=y::z\n" * 11),
    ("GitHub Actions", "line 0", replaced(",title=", ",line=0,title=")),
    ("GitHub Actions", "no message about a failure", lambda _: ""),
    ("GitHub Actions", "commands stopped for good", lambda text: text + "::stop-commands::abc\n"),
    ("GitHub Actions", "the older command in raw output", lambda text: text + "ha ##[add-path]x\n"),
    ("GitHub's summary", "a fence that output can close", replaced("````text", "```text")),
    ("GitHub's summary", "HTML", lambda text: text + "<img src=x>\n"),
    ("GitHub's summary", "a mention", lambda text: text + "@everyone\n"),
    ("GitHub's summary", "a bar in a cell", replaced("Every row of X", "Every | row of X")),
    ("GitHub's summary", "more than 1 MiB", lambda text: text + "x" * 1024 * 1024),
    ("GitHub's summary", "no score", lambda text: text.replace(" points", "")),
    ("Gradescope", "a wrong top-level score", in_json(["score"], 99)),
    ("Gradescope", "NaN", lambda text: text.replace('"score": 0', '"score": NaN')),
    ("Gradescope", "a hidden test", in_json(["tests", 0, "visibility"], "hidden")),
    ("Gradescope", "visible after the due date", in_json(["visibility"], "after_due_date")),
    ("Gradescope", "passed without the points", in_json(["tests", 0, "score"], 0)),
    ("Gradescope", "failed with the points", in_json(["tests", 1, "score"], 1)),
    ("Gradescope", "a status that is not known", in_json(["tests", 0, "status"], "ok")),
    ("Gradescope", "the default format, which is markup", in_json(["output_format"], ...)),
    ("Gradescope", "maximum scores that do not add up", in_json(["tests", 0, "max_score"], 5)),
    ("GitHub Classroom", "no tests", in_json(["tests"], ...)),
    ("GitHub Classroom", "a test without a score", in_json(["tests", 0, "score"], ...)),
    ("GitHub Classroom", "a score that is text", in_json(["tests", 0, "score"], "1")),
    ("GitHub Classroom", "a test without a line", in_json(["tests", 0, "line_no"], ...)),
    ("GitHub Classroom", "a pass despite failures", in_json(["status"], "pass")),
    ("GitHub Classroom", "a score beside a failure", in_json(["tests", 1, "score"], 1)),
    ("GitHub Classroom", "a forged notice", in_json(
        ["tests", 1, "message"], "x\n::notice title=Autograding report::{}")),
    ("GitHub Classroom", "an environment that is too large", in_json(["message"], "x" * 100_000)),
    ("GitHub Classroom", "an output of 501 characters", in_json(["tests", 1, "output"], "x" * 501)),
    ("GitHub Classroom", "a sum of binary fractions", lambda text: in_json(
        ["tests", 1, "score"], 0.2)(in_json(["tests", 0, "score"], 0.1)(text))),
    ("a program", "NaN", replaced('"seconds": ', '"seconds": NaN, "x": ')),
    ("a program", "a lone surrogate", replaced('"notes"', '"x": "\\ud800", "notes"')),
    ("a program", "another score", in_json(["reports", 0, "score", "earned"], 3)),
    ("a terminal", "an escape", lambda text: text + "\x1b[2J"),
    ("a terminal", "no score", lambda text: text.replace("points", "p")),
]  # fmt: skip


@pytest.mark.parametrize(("consumer", "what", "spoil"), BAD, ids=[f"{c}: {w}" for c, w, _ in BAD])
def test_checkers_detect_a_report_that_the_consumer_would_misread(
    mixed: list[Report], consumer: str, what: str, spoil: Spoil
) -> None:
    name, check = CHECKERS[consumer]
    text = formats.render(name, mixed)
    assert check(text, mixed) == []
    assert check(spoil(text), mixed) != []


@pytest.mark.parametrize("consumer", [c for c in CHECKERS if c not in ("a terminal", "a program")])
def test_checkers_detect_a_failure_that_looks_like_a_pass(
    mixed: list[Report], consumer: str
) -> None:
    name, check = CHECKERS[consumer]
    right = [mixed[1]]
    assert right[0].verdict is Outlook.PASSED
    text = formats.render(name, right)
    assert check(text, right) == []
    assert check(text, [mixed[0]]) != []


def test_thirds_of_a_point_add_up_in_every_format() -> None:
    report = next(
        report
        for report in (Reports(seed).report() for seed in range(10_000))
        if sum(r.requirement.points == Fraction(1, 3) for r in report.requirements) >= 3
        and report.verdict is Outlook.PASSED
    )
    for name, consumer, check in CONSUMERS:
        assert check(formats.render(name, [report]), [report]) == [], consumer


def test_every_format_has_a_consumer() -> None:
    assert {name for name, _, _ in CONSUMERS} == set(formats.FORMATS)
