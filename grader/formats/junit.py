"""Reports as JUnit XML, as Jenkins, GitLab and the usual GitHub actions read it.

No schema exists; the consumers decide. Sources: jenkinsci/junit-plugin `SuiteResult.java` and
`CaseResult.java` (a strict parse: one illegal character rejects the file; a suite without a test
case is no suite), gitlabhq `lib/gitlab/ci/parsers/test/junit.rb` and `reports/test_case.rb` (the
element's text is shown, not its `message`; only the first of two tests with one class name and
name counts; `type` is read as a data type and some words there are refused, so there is none).

A bonus requirement that is not met is reported as skipped, since it must not break a build. A
report that is not a pass always has a test that failed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from grader.dependencies import is_met
from grader.formats import shared
from grader.formats.json import points
from grader.model import CaseResult, Outlook, Report, RequirementResult, Verdict

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
    everything = _uniquely_named([test for tests in suites for test in tests])
    left = iter(everything)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>']
    lines.append(f"<testsuites{_counts('grader', everything)}>")
    for report, label, tests in zip(reports, labels, suites, strict=True):
        named = list(islice(left, len(tests)))
        lines.append(f"  <testsuite{_counts(label, named)}>")
        lines.append("    <properties>")
        for name, value in (("earned", report.earned), ("possible", report.possible)):
            lines.append(f'      <property name="{name}" value="{points(value)}"/>')
        lines.append("    </properties>")
        lines += map(_element, named)
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _tests(report: Report, label: str, longest: int) -> Iterator[_Test]:
    tests = [t for r in report.requirements for t in _requirement(r, label, longest)]
    if report.refusal:
        text = shared.refusal_text(report)
        message, output = text.splitlines()[0], shared.tidy(report.refusal.output, longest)
        yield _Test(f"{label}.submission", "can be graded", 0, "error", message, text, output)
    elif report.verdict is not Outlook.PASSED and not any(map(_is_red, tests)):
        # Nothing but skipped tests would read as a pass.
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
            reason = shared.tidy(result.reason).strip() or "not judged"
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
    # Consumers join class name and name, so the joined text is what must be unique.
    keys = shared.unique(f"{test.class_name}_{test.name}" for test in tests)
    return [
        replace(test, name=key.removeprefix(f"{test.class_name}_"))
        for test, key in zip(tests, keys, strict=True)
    ]


def _counts(name: str, tests: Sequence[_Test]) -> str:
    def count(outcome: str) -> int:
        return sum(test.outcome == outcome for test in tests)

    return (
        f' name={quoteattr(name)} tests="{len(tests)}" failures="{count("failure")}"'
        f' errors="{count("error")}" skipped="{count("skipped")}"'
        f' time="{sum(test.seconds for test in tests):.6f}"'
    )


def _element(test: _Test) -> str:
    head = (
        f"    <testcase classname={quoteattr(test.class_name)} name={quoteattr(test.name)}"
        f' time="{test.seconds:.6f}"'
    )
    inside = []
    if test.outcome:
        inside.append(
            f"      <{test.outcome} message={quoteattr(test.message)}>"
            f"{escape(test.text)}</{test.outcome}>"
        )
    if test.output.strip():
        # GitLab takes this mark in output for a link to a file of the job.
        output = test.output.replace("[[ATTACHMENT|", "[ [ATTACHMENT|")
        inside.append(f"      <system-out>{escape(output)}</system-out>")
    return "\n".join([f"{head}>", *inside, "    </testcase>"]) if inside else f"{head}/>"
