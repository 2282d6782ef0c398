"""Reports as JUnit XML for Jenkins, GitLab and the usual GitHub actions.

There is no official schema, so the consumers define the format. Sources: jenkinsci/junit-plugin
`SuiteResult.java` and `CaseResult.java` (a strict parse: one illegal character rejects the file;
a suite without a test case is not a suite), gitlabhq `lib/gitlab/ci/parsers/test/junit.rb` and
`reports/test_case.rb` (the element's text is shown, not its `message`; of two tests with the same
class name and name only the first counts; `type` is read as a data type and some values are
refused, so none is written).

An unmet bonus requirement is reported as skipped, since it must not break a build. A report that
is not a pass always contains a failed test.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from grader import explain
from grader.dependencies import is_met
from grader.formats import shared
from grader.formats.json import points
from grader.model import CaseResult, Outlook, Report, RequirementResult, Verdict

ENDING = ".xml"

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'
_MOST_OUTPUT = 10_000_000
"""characters of output in one document; GitLab reads files below 30 MB"""


@dataclass(frozen=True, slots=True)
class _Test:
    class_name: str
    name: str
    seconds: float = 0.0
    outcome: Literal["", "failure", "error", "skipped"] = ""
    message: str = ""
    text: str = ""
    output: str = ""


def render(reports: Sequence[Report]) -> str:
    """Return the reports as one document: a suite for each report, a test for each case."""
    count = sum(len(result.cases) for report in reports for result in report.requirements)
    longest = max(200, min(shared.LONGEST_OUTPUT, _MOST_OUTPUT // max(1, count)))
    labels = shared.labels(reports)
    suites = [list(_tests(r, n, longest)) for r, n in zip(reports, labels, strict=True)]
    named = _uniquely_named([test for tests in suites for test in tests])
    remaining = iter(named)
    root = ET.Element("testsuites", _counts("grader", named))
    for report, label, tests in zip(reports, labels, suites, strict=True):
        _add_suite(root, report, label, list(islice(remaining, len(tests))))
    ET.indent(root)
    return f"{_DECLARATION}\n{ET.tostring(root, encoding='unicode')}\n"


def _add_suite(root: ET.Element, report: Report, label: str, tests: Sequence[_Test]) -> None:
    suite = ET.SubElement(root, "testsuite", _counts(label, tests))
    properties = ET.SubElement(suite, "properties")
    for name, value in (("earned", report.earned), ("possible", report.possible)):
        ET.SubElement(properties, "property", name=name, value=str(points(value)))
    for test in tests:
        _add_test(suite, test)
    if note := explain.confinement(report):
        ET.SubElement(suite, "system-out").text = note


def _tests(report: Report, label: str, longest: int) -> Iterator[_Test]:
    tests = [t for r in report.requirements for t in _requirement(r, label, longest)]
    if report.refusal:
        text = shared.refusal_text(report)
        message, output = text.splitlines()[0], shared.tidy(report.refusal.output, longest)
        yield _Test(f"{label}.submission", "can be graded", 0, "error", message, text, output)
    elif report.verdict is not Outlook.PASSED and not any(map(_is_red, tests)):
        # Consumers count a document with only skipped tests as a pass.
        unmet = [r for r in report.requirements if not is_met(r) and not shared.is_bonus(r)]
        text = "\n".join(f"not met: {shared.name_of(r.requirement.id)}" for r in unmet)
        message, name = shared.score_line(report), "every requirement is met"
        yield _Test(f"{label}.submission", name, 0, "failure", message, text or message)
    yield from tests


def _requirement(result: RequirementResult, label: str, longest: int) -> Iterator[_Test]:
    class_name = f"{label}.{shared.name_of(result.requirement.id)}"
    for case in result.cases:
        test = _case(case, class_name, longest)
        if _is_red(test) and result.diagnosis:
            test = replace(test, text=f"{test.text}\n{shared.hint_of(result)}")
        if _is_red(test) and shared.is_bonus(result):
            test = replace(test, outcome="skipped", message=f"bonus, not met: {test.message}")
        yield test


def _case(result: CaseResult, class_name: str, longest: int) -> _Test:
    test = _Test(
        class_name,
        shared.name_of(result.case.id),
        shared.seconds_of(result.execution.seconds),
        output=shared.tidy(result.execution.output, longest),
    )
    match result.verdict:
        case Verdict.PASSED:
            return test
        case Verdict.SKIPPED:
            reason = shared.tidy(explain.reason(result)).strip() or "not judged"
            return replace(test, outcome="skipped", message=reason, text=reason)
        case verdict:
            outcome: Literal["failure", "error"] = (
                "failure" if verdict is Verdict.FAILED else "error"
            )
            message, text = shared.case_headline(result), shared.case_text(result)
            return replace(test, outcome=outcome, message=message, text=text)


def _is_red(test: _Test) -> bool:
    return test.outcome in ("failure", "error")


def _uniquely_named(tests: list[_Test]) -> list[_Test]:
    # Consumers identify a test by class name and name joined, so the joined text must be unique.
    keys = shared.unique(f"{test.class_name}_{test.name}" for test in tests)
    return [
        replace(test, name=key.removeprefix(f"{test.class_name}_"))
        for test, key in zip(tests, keys, strict=True)
    ]


def _counts(name: str, tests: Sequence[_Test]) -> dict[str, str]:
    def count(outcome: str) -> str:
        return str(sum(test.outcome == outcome for test in tests))

    return {
        "name": name,
        "tests": str(len(tests)),
        "failures": count("failure"),
        "errors": count("error"),
        "skipped": count("skipped"),
        "time": f"{sum(test.seconds for test in tests):.6f}",
    }


def _add_test(suite: ET.Element, test: _Test) -> None:
    facts = {"classname": test.class_name, "name": test.name, "time": f"{test.seconds:.6f}"}
    element = ET.SubElement(suite, "testcase", facts)
    if test.outcome:
        ET.SubElement(element, test.outcome, message=test.message).text = test.text
    if test.output.strip():
        # GitLab reads this marker in output as a link to a file of the job.
        output = test.output.replace("[[ATTACHMENT|", "[ [ATTACHMENT|")
        ET.SubElement(element, "system-out").text = output
