"""Reports as the result that GitHub Classroom's autograding reporter reads (version 3).

The reporter takes this JSON in base64 from an environment variable. Source:
classroom-resources/autograding-grading-reporter `src/main.js`, `src/notify-classroom.js` and
`dist/main.js`. Properties of the reporter and their consequences here:

- It adds the floats `tests[].score` and prints the sum unrounded; it sends no score if `max_score`
  is 0. The scores are therefore chosen so that their sum is exact.
- It prints names and messages to the log, where lines such as `::notice ...` are workflow
  commands; its own score notices are such lines. No text may therefore contain a command.
- An environment variable has at most 128 KiB on Linux (MAX_ARG_STRLEN); see `_LIMIT`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from grader.dependencies import is_met, is_red
from grader.formats import shared
from grader.formats.json import points
from grader.model import Outlook, Report, RequirementResult
from grader.text import without_commands

ENDING = ".json"

VERSION = 3
_LIMIT = 90_000
"""bytes; in base64, 4/3 as many, and with the variable's name it stays below 128 KiB"""
_LONGEST_OUTPUT = 500


def render(reports: Sequence[Report]) -> str:
    """Return the reports as one JSON document, short enough for an environment variable.

    If it is too long, texts are cut; then there is one test for each report; then one for all.
    """
    text = ""
    for tests in _attempts(reports):
        text = json.dumps(_result(reports, tests), ensure_ascii=False, allow_nan=False) + "\n"
        if len(text.encode()) <= _LIMIT:
            break
    return text


def _attempts(reports: Sequence[Report]) -> Iterator[list[dict[str, Any]]]:
    for longest in (1000, 200, 40):
        yield _tests(reports, longest)
    whole = [_report_test(report, label) for report, label in _labelled(reports)]
    yield whole
    passed = all(test["status"] == "pass" for test in whole)
    earned = sum((report.earned for report in reports), Fraction(0))
    seconds = sum(shared.seconds_of(report.seconds) for report in reports)
    yield [_test("every exercise", passed, earned, seconds)]


def _result(reports: Sequence[Report], tests: Sequence[dict[str, Any]]) -> dict[str, Any]:
    possible = sum((report.possible for report in reports), Fraction(0))
    scores = _scores([test["score"] for test in tests])
    status = "pass" if all(r.verdict is Outlook.PASSED for r in reports) else "fail"
    messages = shared.confinements(reports)
    if reports and all(report.refusal for report in reports):
        status, messages = "error", ["no file could be graded", *messages]
    return {
        "version": VERSION,
        "status": status,
        "message": ". ".join(messages) or None,
        "max_score": points(possible),
        "tests": [test | {"score": score} for test, score in zip(tests, scores, strict=True)],
    }


def _tests(reports: Sequence[Report], longest: int) -> list[dict[str, Any]]:
    tests = []
    for report, label in _labelled(reports):
        if report.refusal:
            text = shared.refusal_text(report)
            test = _test(f"{label}: can be graded", False, Fraction(0), 0.0)
            tests.append(
                test
                | {"status": "error", "message": _inert(text, longest)}
                | {"filename": _inert(report.submission, longest)}
                | {"line_no": shared.line_of(report) or 0}
            )
        for result in report.requirements:
            tests.append(_requirement(report, label, result, longest))
    return tests or [_test("every exercise", False, Fraction(0), 0.0)]


def _requirement(
    report: Report, label: str, result: RequirementResult, longest: int
) -> dict[str, Any]:
    name = f"{label}: {result.requirement.id}{' (bonus)' if shared.is_bonus(result) else ''}"
    seconds = sum(shared.seconds_of(case.execution.seconds) for case in result.cases)
    test = _test(name, is_met(result), shared.earned_of(result), seconds)
    test["filename"] = _inert(report.submission, longest)
    if not is_met(result):
        test["message"] = _inert(shared.requirement_text(result), longest)
    red = shared.red_cases(result)
    if is_red(result) and red:
        test["line_no"] = shared.line_of(report, red[0]) or 0
        test["output"] = _inert(red[0].execution.output, min(longest, _LONGEST_OUTPUT - 3))
    return test


def _report_test(report: Report, label: str) -> dict[str, Any]:
    passed = report.verdict is Outlook.PASSED
    return _test(label, passed, report.earned, shared.seconds_of(report.seconds))


def _labelled(reports: Sequence[Report]) -> list[tuple[Report, str]]:
    return list(zip(reports, shared.labels(reports), strict=True))


def _test(name: str, passed: bool, score: Fraction, seconds: float) -> dict[str, Any]:
    return {
        "name": _inert(" ".join(name.split()), 200),
        "status": "pass" if passed else "fail",
        "score": score,
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": round(seconds, 6),
    }


def _inert(text: str, longest: int) -> str:
    """Return text without workflow commands, even if it is printed inside other text."""
    return without_commands(shared.tidy(text, longest))[: longest + 3]


def _scores(parts: Sequence[Fraction]) -> list[int | float]:
    """Return the points as numbers whose sum in floating point is exactly the rounded total.

    Each is a multiple of the total's last binary digit, so that no addition rounds. The last
    part that is not 0 takes the remainder.
    """
    if all(part.denominator == 1 for part in parts):
        return [int(part) for part in parts]
    steps = shared.hundredths(parts)
    total = float(sum(steps))
    digit = Fraction(math.ulp(total))
    units = [round(step / digit) for step in steps]
    last = max((index for index, step in enumerate(steps) if step), default=0)
    units[last] += int(Fraction(total) / digit) - sum(units)
    return [float(unit * digit) for unit in units]
