"""Functions shared by formats: unique names, exact points, safe text of limited length."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction

from grader import explain
from grader.dependencies import is_met, is_red
from grader.formats.json import points
from grader.model import CaseResult, Frame, Outlook, Report, RequirementResult, Verdict
from grader.text import clean, one_line

LONGEST_MESSAGE = 4000
LONGEST_OUTPUT = 10_000
_LONGEST_NAME = 200
_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""characters that XML 1.0 forbids (https://www.w3.org/TR/xml/#charsets) and carriage returns"""


def tidy(text: str, longest: int = 1000) -> str:
    """Return untrusted text without control characters, legal in XML and cut to `longest`."""
    return _NOT_IN_XML.sub("", clean(text, longest))


def labels(reports: Sequence[Report]) -> list[str]:
    """Return a unique name for each report: its slug, followed by the file if the slug repeats."""
    slugs = Counter(report.problem.slug for report in reports)
    names = [
        name_of(report.problem.slug)
        if slugs[report.problem.slug] == 1
        else name_of(f"{report.problem.slug} {report.submission}")
        for report in reports
    ]
    return unique(names)


def unique(names: Iterable[str]) -> list[str]:
    """Return the names in order; a repeated name gets the next free number: `name (2)`."""
    taken: set[str] = set()
    counts: Counter[str] = Counter()
    result = []
    for name in names:
        free = name
        while free in taken:
            counts[name] += 1
            free = f"{name} ({counts[name] + 1})"
        taken.add(free)
        result.append(free)
    return result


def name_of(text: str) -> str:
    """Return an id, a slug or a path as one safe line, which is never empty."""
    return one_line(tidy(text, _LONGEST_NAME)) or "unnamed"


def seconds_of(value: float) -> float:
    """Return a duration in seconds that every consumer can read.

    It is rounded to microseconds, not negative and at most one year.
    """
    return round(min(value, 31_536_000.0), 6) if value > 0 else 0.0


def earned_of(result: RequirementResult) -> Fraction:
    """Return the points that a requirement adds to the score; a bonus adds 0."""
    return result.requirement.points if is_met(result) and not is_bonus(result) else Fraction(0)


def is_bonus(result: RequirementResult) -> bool:
    """Return whether the requirement is a bonus, which a pass does not need."""
    return result.requirement.bonus


def confinements(reports: Iterable[Report]) -> list[str]:
    """Return each sentence about missing confinement once."""
    return [note for note in dict.fromkeys(map(explain.confinement, reports)) if note]


def hundredths(parts: Sequence[Fraction]) -> list[Fraction]:
    """Return the parts rounded to hundredths so that they add up to their rounded sum.

    Each running sum is rounded, and a part is the difference of two running sums: three thirds
    become 0.33, 0.34 and 0.33. A part of 0 stays 0.
    """
    steps, exact, before = [], Fraction(0), Fraction(0)
    for part in parts:
        exact += part
        rounded = round(exact, 2)
        steps.append(rounded - before)
        before = rounded
    return steps


def score_line(report: Report) -> str:
    """Return the outcome of a report as one line."""
    required = [r for r in report.requirements if not is_bonus(r)]
    met = sum(map(is_met, required))
    score = f"{points(report.earned)} of {points(report.possible)} points"
    if report.verdict is Outlook.PASSED:
        return f"Every requirement is met: {score}."
    if report.verdict is Outlook.NOT_STARTED:
        return f"Not started: {score}."
    return f"{met} of {len(required)} requirements are met: {score}."


def counted(result: RequirementResult) -> str:
    """Return the count of passed cases of a requirement and of all: `3/4`."""
    passed = sum(case.verdict is Verdict.PASSED for case in result.cases)
    return f"{passed}/{len(result.cases)}"


def red_cases(result: RequirementResult) -> list[CaseResult]:
    """Return the cases that failed or errored, in the author's order."""
    return [case for case in result.cases if case.verdict in (Verdict.FAILED, Verdict.ERRORED)]


def case_text(result: CaseResult) -> str:
    """Return the full text about a case that did not pass, never empty."""
    case = result.case
    lines = [f"{name_of(case.id)}: {one_line(tidy(case.why))}"] if case.why.strip() else []
    lines += tidy(explain.message(result), LONGEST_MESSAGE).splitlines()
    lines += [f"note: {tidy(note)}" for note in explain.notes(result)]
    return "\n".join(lines).strip() or "this case is not right"


def case_headline(result: CaseResult) -> str:
    """Return the first line of the message of a case, never empty."""
    lines = tidy(explain.message(result), LONGEST_MESSAGE).strip().splitlines()
    return one_line(lines[0]) if lines else "this case is not right"


def hint_of(result: RequirementResult) -> str:
    """Return the hint of the diagnosis as one line, or ""."""
    return f"Hint: {one_line(tidy(result.diagnosis.hint))}" if result.diagnosis else ""


def requirement_text(result: RequirementResult) -> str:
    """Return why a requirement is unmet: its first red case, or the requirements it waits for."""
    red = red_cases(result)
    if not is_red(result) or not red:
        return tidy(explain.waiting(result)).strip() or "not judged"
    lines = [case_text(red[0]), hint_of(result)]
    if len(red) > 1:
        lines.append(f"{len(red)} of {len(result.cases)} cases are not right.")
    return "\n".join(filter(None, lines))


def refusal_text(report: Report) -> str:
    """Return why the file could not be graded, or "" if it was graded."""
    if report.refusal is None:
        return ""
    text = tidy("\n".join(explain.refusal_lines(report.refusal)), LONGEST_MESSAGE)
    return text.strip() or "the file cannot be graded"


def line_of(report: Report, result: CaseResult | None = None) -> int | None:
    """Return the line of the learner's file where a case, or without one the file, failed.

    None if it is unknown, and for a notebook, whose lines are not lines of its file.
    """
    if report.submission.endswith(".ipynb"):
        return None
    frames: tuple[Frame, ...] = ()
    if result is None and report.refusal:
        if report.refusal.line is not None:
            return report.refusal.line if report.refusal.line > 0 else None
        frames = report.refusal.failure.frames
    elif result is not None and result.execution.failure:
        frames = result.execution.failure.frames
    lines = [frame.line for frame in frames if frame.path == report.submission and frame.line > 0]
    return lines[-1] if lines else None
