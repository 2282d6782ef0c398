"""Reports as Gradescope's `results.json`.

Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/. The top-level `score`
overrides the sum of the tests, so the total is exact and rounded once. No test is marked `hidden`,
since one hidden test would hide the total from the learner; the details of hidden cases are
removed before a format gets the report.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from grader.dependencies import is_met
from grader.formats import shared
from grader.formats.json import points
from grader.model import Report, RequirementResult

ENDING = ".json"


def render(reports: Sequence[Report]) -> str:
    """Return the reports as one JSON document: a test for each requirement."""
    labels = shared.labels(reports) if len(reports) > 1 else [""] * len(reports)
    tests = [
        {"number": str(number), **test}
        for number, test in enumerate(_tests(reports, labels), start=1)
    ]
    summary = [
        f"{label}: {shared.score_line(report)}" if label else shared.score_line(report)
        for report, label in zip(reports, labels, strict=True)
    ]
    document = {
        "score": points(sum((r.earned for r in reports), Fraction(0))),
        "execution_time": round(sum(shared.seconds_of(r.seconds) for r in reports), 3),
        "output": "\n".join([*summary, *shared.confinements(reports)]),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "tests": tests,
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _tests(reports: Sequence[Report], labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    needed = [r for report in reports for r in report.requirements if not shared.is_bonus(r)]
    worth = iter(shared.hundredths([result.requirement.points for result in needed]))
    for report, label in zip(reports, labels, strict=True):
        prefix = f"{label}: " if label else ""
        if report.refusal:
            yield _test(f"{prefix}the file can be graded", False, shared.refusal_text(report))
        for result in report.requirements:
            name = f"{prefix}{shared.name_of(result.requirement.id)}"
            name += " (bonus)" if shared.is_bonus(result) else ""
            says = shared.tidy(result.requirement.says)
            met = is_met(result)
            # Gradescope shows a test without a score as information; a bonus adds no points.
            score = {} if shared.is_bonus(result) else _score(next(worth), met)
            yield {**_test(f"{name}: {says}", met, _output(result)), **score}


def _test(name: str, passed: bool, output: str) -> dict[str, Any]:
    return {"name": name, "status": "passed" if passed else "failed", "output": output}


def _score(worth: Fraction, met: bool) -> dict[str, Any]:
    return {"score": points(worth) if met else 0, "max_score": points(worth)}


def _output(result: RequirementResult) -> str:
    if is_met(result):
        return f"{shared.counted(result)} cases pass."
    text = shared.requirement_text(result)
    for case in shared.red_cases(result)[:1]:
        output = shared.tidy(case.execution.output, shared.LONGEST_OUTPUT)
        if output.strip():
            text += f"\n\nyour code printed:\n{output}"
    return text
