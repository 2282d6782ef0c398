"""Checkers that read a rendered report as its consumer does, and complain when it is misread.

Each checker takes a rendered report and the original reports, and returns complaints: [] when the
consumer reads exactly the facts of the reports. The modules of `grader/formats` name the sources
of each format.
"""

from __future__ import annotations

import base64
import json
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from formats import runner_log
from grader.model import Outlook, Report, Verdict

_YEAR = 365 * 24 * 3600
_MAX_ARG_STRLEN = 131_072
"""largest environment string on Linux in bytes, with its terminating zero"""


def all_pass(reports: Sequence[Report]) -> bool:
    """Return whether a consumer must show success."""
    return all(report.verdict is Outlook.PASSED for report in reports)


def exact(reports: Sequence[Report]) -> tuple[Decimal, Decimal]:
    """Return earned and possible points, summed exactly and rounded once, half to even."""
    return tuple(  # type: ignore[return-value]
        Decimal(int(round(sum((getattr(r, name) for r in reports), Fraction(0)), 2) * 100)) / 100
        for name in ("earned", "possible")
    )


def _same(number: Any, wanted: Decimal) -> bool:
    return (
        isinstance(number, int | float)
        and not isinstance(number, bool)
        and math.isfinite(number)
        and Decimal(repr(number)) == wanted
    )


def _strict_json(text: str) -> Any:
    def refuse(word: str) -> None:
        raise ValueError(f"{word} is not JSON")

    text.encode("utf-8")
    document = json.loads(text, parse_constant=refuse)
    json.dumps(document, ensure_ascii=False).encode("utf-8")  # no lone surrogate behind an escape
    return document


# --- JUnit ------------------------------------------------------------------------------------


def jenkins(text: str, reports: Sequence[Report]) -> list[str]:
    """Read as jenkinsci/junit-plugin `SuiteResult.parse` does: strictly, or not at all."""
    try:
        root = ElementTree.fromstring(text.encode("utf-8"))
    except (ElementTree.ParseError, UnicodeEncodeError) as error:
        return [f"the file is rejected: {error}"]
    suites = list(_suites(root))
    cases = [case for suite in suites for case in suite.findall("testcase")]
    wrong = [f"suite {s.get('name')!r} is not read" for s in root if s not in suites]
    if not all_pass(reports) and not suites:
        wrong.append("a failure is invisible: no suite is read")
    red = 0
    names: set[str] = set()
    for case in cases:
        class_name, name = case.get("classname"), case.get("name")
        if not class_name or not name:
            wrong.append("a test has no name")
        full = f"{class_name}.{name}"
        if full in names:
            wrong.append(f"two tests are called {full!r}")
        names.add(full)
        trouble = case.find("error") if case.find("error") is not None else case.find("failure")
        if trouble is not None:
            red += 1
            if case.find("skipped") is not None:
                wrong.append(f"{full!r} is red and skipped")
            if not trouble.get("message") or not (trouble.text or "").strip():
                wrong.append(f"{full!r} does not say why")
        wrong += _time_complaints(case)
    if (red == 0) != all_pass(reports):
        wrong.append(f"{red} red tests, but the grader says {'pass' if red else 'no pass'}")
    return wrong + _count_complaints(root) + _property_complaints(root, reports)


def gitlab(text: str, reports: Sequence[Report]) -> list[str]:
    """Read as gitlabhq `parsers/test/junit.rb` does, on `Hash.from_xml`."""
    if len(text.encode("utf-8", "replace")) >= 30_000_000:
        return ["the file is larger than 30 MB"]
    try:
        root = ElementTree.fromstring(text.encode("utf-8"))
    except (ElementTree.ParseError, UnicodeEncodeError) as error:
        return [f"JUnit XML parsing failed: {error}"]
    if root.tag not in ("testsuites", "testsuite"):
        return ["no case is read: the root is no testsuites"]
    wrong: list[str] = []
    for element in root.iter():
        if element.get("type") in ("yaml", "symbol"):  # ActiveSupport's DISALLOWED_TYPES
            wrong.append(f"JUnit data parsing failed: type {element.get('type')!r} is not allowed")
    red, keys = 0, set()
    for suite in _suites(root):
        for case in suite.findall("testcase"):
            key = f"{suite.get('name')}_{case.get('classname')}_{case.get('name')}"
            if key in keys:
                wrong.append(f"only the first of two tests counts: {key!r}")
                continue
            keys.add(key)
            status = next((s for s in ("failure", "error", "skipped") if case.findall(s)), "")
            red += status in ("failure", "error")
            if status and not (case.findtext(status) or "").strip():
                wrong.append(f"{key!r} shows a hash instead of a text")
            outputs = case.findall("system-out")
            if len(outputs) > 1:
                wrong.append(f"JUnit data parsing failed: {key!r} has two outputs")
            if outputs and "[[ATTACHMENT|" in (outputs[0].text or ""):
                wrong.append(f"{key!r} links to a file that a learner chose")
    if (red == 0) != all_pass(reports):
        wrong.append(f"{red} failed tests, but the grader says {'pass' if red else 'no pass'}")
    return wrong


def _suites(element: ElementTree.Element) -> Iterator[ElementTree.Element]:
    for suite in element.findall("testsuite"):
        yield from _suites(suite)
    if element.find("testcase") is not None or element.find("error") is not None:
        yield element


def _time_complaints(element: ElementTree.Element) -> list[str]:
    try:
        seconds = float(element.get("time", ""))
    except ValueError:
        return [f"time {element.get('time')!r} is no number"]
    return [] if 0 <= seconds <= _YEAR else [f"time {seconds} is cut to 0 or a year"]


def _count_complaints(root: ElementTree.Element) -> list[str]:
    wrong = []
    for suite in [root, *root.findall("testsuite")]:
        cases = list(suite.iter("testcase"))
        found = {
            "tests": len(cases),
            "failures": sum(case.find("failure") is not None for case in cases),
            "errors": sum(case.find("error") is not None for case in cases),
            "skipped": sum(case.find("skipped") is not None for case in cases),
        }
        wrong += [
            f"{name} says {suite.get(name)}, there are {count}"
            for name, count in found.items()
            if suite.get(name) != str(count)
        ]
    return wrong


def _property_complaints(root: ElementTree.Element, reports: Sequence[Report]) -> list[str]:
    suites = root.findall("testsuite")
    wrong = [] if len(suites) == len(reports) else [f"{len(suites)} suites, {len(reports)} reports"]
    for suite, report in zip(suites, reports, strict=False):
        values = {p.get("name"): p.get("value") for p in suite.iter("property")}
        for name, wanted in zip(("earned", "possible"), exact([report]), strict=True):
            if Decimal(values.get(name) or "-1") != wanted:
                wrong.append(f"{name} is {values.get(name)}, not {wanted}")
    return wrong


# --- GitHub Actions ---------------------------------------------------------------------------


def github(text: str, reports: Sequence[Report], folder: str = "") -> list[str]:
    """Read a step's output as GitHub's runner does."""
    wrong: list[str] = []
    commands = [c for c in runner_log.commands(text) if c.name != "stop-commands"]
    foreign = sorted({c.name for c in commands} - {"error", "notice"})
    wrong += [f"the command {name!r} is executed" for name in foreign]
    if runner_log.is_open(text):
        wrong.append("commands stay stopped for the rest of the step")
    files = {folder + " ".join(_legal(r.submission).split()) for r in reports}
    for command in commands:
        if command.properties.get("file") not in files:
            wrong.append(f"{command.properties.get('file')!r} is no learner's file")
        if not re.fullmatch(r"[1-9]\d*", command.properties.get("line", "1")):
            wrong.append(f"line {command.properties.get('line')!r} is no line")
        if not command.properties.get("title", "").strip() or not command.data.strip():
            wrong.append("an annotation says nothing")
        if len(command.data) > 4096:
            wrong.append("a message is cut")
    for kind in ("error", "notice"):
        shown = [c for c in commands if c.name == kind]
        rest = re.findall(rf"^(\d+) more {kind}s are not annotated\.$", text, re.MULTILINE)
        if len(shown) > 10:
            wrong.append(f"{len(shown)} {kind}s, of which 10 are shown")
        if rest and len(shown) != 10:
            wrong.append(f"{kind}s are left out although there is room")
        if kind == "error" and bool(shown) == all_pass(reports):
            wrong.append(f"{len(shown)} errors, but the grader says otherwise")
    return wrong


def _legal(text: str) -> str:
    """Return a path without the characters that no format shows."""
    from grader.formats.shared import tidy

    return tidy(text, 200)


def markdown(text: str, reports: Sequence[Report], limit: int = 1024 * 1024) -> list[str]:
    """Read as GitHub-flavoured Markdown: no learner's text may become markup."""
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        return ["it is not UTF-8"]
    wrong = [f"{size} bytes: the upload fails"] if size >= limit else []
    fence, outside = "", []
    for line in text.split("\n"):
        mark = re.match(r" {0,3}(`{3,})([^`]*)$", line)
        if fence:
            if mark and len(mark[1]) >= len(fence) and not mark[2].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            outside.append(line)
    if fence:
        wrong.append("a fenced block stays open")
    cut = "are left out here" in text
    for line in outside:
        plain = _without_code_spans(line)
        if re.search(r"(?<!\\)(?:\\\\)*[<\[@]", plain):
            wrong.append(f"markup in {line!r}")
        if line.startswith("|") and len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) != 5:
            wrong.append(f"a table row has not four cells: {line!r}")
    for report in reports if not cut else []:
        earned, possible = exact([report])
        if not re.search(rf"{_number(earned)} of {_number(possible)} points", text):
            wrong.append(f"the score {earned} of {possible} is not told")
    return wrong


def _without_code_spans(line: str) -> str:
    """Return a line without its code spans: a run of backticks up to one of the same length."""
    kept, at = "", 0
    for opening in re.finditer(r"(?<!`)`+(?!`)", line):
        if opening.start() < at or line[: opening.start()].endswith("\\"):
            continue
        closing = re.compile(rf"(?<!`)`{{{len(opening[0])}}}(?!`)").search(line, opening.end())
        if closing:
            kept, at = kept + line[at : opening.start()], closing.end()
    return kept + line[at:]


def _number(value: Decimal) -> str:
    digits = f"{value.normalize():f}"
    return rf"(?<![\d.]){re.escape(digits)}(?:\.0)?(?!\d)"


# --- Gradescope -------------------------------------------------------------------------------


def gradescope(text: str, reports: Sequence[Report]) -> list[str]:
    """Read as Gradescope's specification of `results.json` says."""
    try:
        results = _strict_json(text)
    except (ValueError, UnicodeEncodeError) as error:
        return [f"the file is rejected: {error}"]
    tests = results.get("tests")
    if not isinstance(tests, list):
        return ["there are no tests"]
    wrong = []
    total = results.get("score")
    if total is None:  # without a top-level score every test must carry one
        scores = [test.get("score") for test in tests]
        total = None if None in scores else sum(scores)
    if not _same(total, exact(reports)[0]):
        wrong.append(f"the total is {total}, not {exact(reports)[0]}")
    if not _same(results.get("execution_time", 0), Decimal(repr(results["execution_time"]))):
        wrong.append("the time is no number")
    shown = [results.get("visibility", "visible"), *(t.get("visibility", "visible") for t in tests)]
    if any(value != "visible" for value in shown):
        wrong.append("something is hidden, so the learner does not see the total")
    if results.get("output_format", "simple_format") not in ("text",):
        wrong.append("a learner's text is read as markup")
    worth = Decimal(0)
    for test in tests:
        score, most = test.get("score"), test.get("max_score")
        status = test.get("status", "passed" if score == most else "failed")
        if status not in ("passed", "failed"):
            wrong.append(f"status {status!r} is not known")
        if not str(test.get("name", "")).strip() or not isinstance(test.get("number"), str):
            wrong.append("a test has no name or number")
        if score is None:
            continue
        if not all(isinstance(n, int | float) and math.isfinite(n) for n in (score, most)):
            wrong.append(f"score {score!r} of {most!r}")
            continue
        worth += Decimal(repr(most))
        if most and (status == "passed") != (score == most):
            wrong.append(f"{test['name']!r} is {status} with {score} of {most}")
    if worth != exact(reports)[1]:
        wrong.append(f"the tests are worth {worth}, not {exact(reports)[1]}")
    wanted = [
        "passed" if result.verdict is Verdict.PASSED else "failed"
        for report in reports
        for result in report.requirements
    ]
    told = [t["status"] for t in tests if not t["name"].endswith("the file can be graded")]
    return wrong if told == wanted else [*wrong, "statuses differ from the verdicts"]


# --- GitHub Classroom -------------------------------------------------------------------------


def classroom(text: str, reports: Sequence[Report]) -> list[str]:
    """Process one runner's result as classroom-resources/autograding-grading-reporter does."""
    variable = b"GRADER_RESULTS=" + base64.b64encode(text.encode("utf-8", "surrogatepass"))
    if len(variable) + 1 > _MAX_ARG_STRLEN:
        return ["the reporter cannot be started: its environment is too large"]
    try:
        results = _strict_json(text)
    except (ValueError, UnicodeEncodeError) as error:
        return [f"the reporter stops: {error}"]
    tests = results.get("tests")
    if not isinstance(tests, list) or not tests:
        return ["the reporter stops: no tests"]
    wrong: list[str] = []
    total: float = 0
    for test in tests:
        score = test.get("score")
        if not isinstance(score, int | float) or not math.isfinite(score):
            return [*wrong, f"the total is NaN: score {score!r}"]
        total = total + score  # JavaScript adds in binary, in order
        if "line_no" not in test:
            wrong.append("the log says 'line undefined'")
        if test.get("status") not in ("pass", "fail", "error"):
            wrong.append(f"status {test.get('status')!r} is not known")
        if test.get("status") != "pass" and score and len(tests) > len(reports):
            wrong.append(f"{test['name']!r} is not a pass with {score} points")
        if len(test.get("output") or "") > 500:
            wrong.append("an output is too long")
    earned, possible = exact(reports)
    most = results.get("max_score")
    if not _same(most, possible):
        wrong.append(f"max_score is {most}, not {possible}")
    log = _reporter_log(tests)
    forged = runner_log.commands(log)
    wrong += [f"a learner executes {command.name!r} in the reporter" for command in forged]
    if most and f"Points {_javascript(total)}/{_javascript(most)}" != (
        f"Points {_javascript(float(earned))}/{_javascript(float(possible))}"
    ):
        wrong.append(f"Classroom reads {_javascript(total)} of {_javascript(most)}")
    if (results.get("status") == "pass") != all_pass(reports):
        wrong.append(f"the step's status is {results.get('status')!r}")
    return wrong


def _reporter_log(tests: Sequence[dict[str, Any]]) -> str:
    """Return what `console-results` prints about the tests."""
    lines = []
    for test in tests:
        line = test.get("line_no", "undefined")
        place = f" - line {line}" if line != 0 else ""
        if test.get("status") == "pass":
            lines.append(f"\x1b[32m✅ {test['name']}{place}\x1b[0m")
        elif test.get("status") == "error":
            lines.append(f"Error: {test.get('message') or 'Failed to run test'}\n\x1b[0m")
        else:
            lines.append(f"\x1b[31m❌ {test['name']}{place}\x1b[0m")
        if test.get("test_code"):
            lines.append(f"Test code:\n{test['test_code']}\n")
        # A later version may also print these: they must be harmless too.
        lines += [str(test.get("message") or ""), str(test.get("output") or "")]
    return "\n".join(lines)


def _javascript(number: float) -> str:
    """Return a number as JavaScript prints it (below 1e21): the shortest digits, no `.0`."""
    digits = f"{Decimal(repr(number)).normalize():f}"
    return "0" if digits == "-0" else digits


# --- ours -------------------------------------------------------------------------------------


def own_json(text: str, reports: Sequence[Report]) -> list[str]:
    """Read as a strict RFC 8259 reader of version 1 does."""
    try:
        document = _strict_json(text)
    except (ValueError, UnicodeEncodeError) as error:
        return [f"it is not JSON: {error}"]
    wrong = [] if document["version"] == 1 else ["the version is unknown"]
    for data, report in zip(document["reports"], reports, strict=True):
        earned, possible = exact([report])
        if not _same(data["score"]["earned"], earned):
            wrong.append(f"earned is {data['score']['earned']}, not {earned}")
        if not _same(data["score"]["possible"], possible):
            wrong.append(f"possible is {data['score']['possible']}, not {possible}")
    return wrong


def terminal(text: str, reports: Sequence[Report]) -> list[str]:
    """Read as a terminal: no control character except the line feed, and every score shown."""
    wrong = [
        f"control character {c!r}" for c in set(re.findall("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text))
    ]
    words = " ".join(text.split())
    for report in reports:
        earned, possible = exact([report])
        if not re.search(rf"{_number(earned)} of {_number(possible)} points", words):
            wrong.append(f"the score {earned} of {possible} is not told")
    return wrong


Checker = Callable[[str, Sequence[Report]], list[str]]
CONSUMERS: list[tuple[str, str, Checker]] = [
    ("terminal", "a terminal", terminal),
    ("json", "a program", own_json),
    ("junit", "Jenkins", jenkins),
    ("junit", "GitLab", gitlab),
    ("github", "GitHub Actions", github),
    ("markdown", "GitHub's summary", markdown),
    ("gradescope", "Gradescope", gradescope),
    ("classroom", "GitHub Classroom", classroom),
]
"""format, who reads it, how"""
