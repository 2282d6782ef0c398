"""Convert facts to sentences for learners; no other package words them.

The functions take `model` data and return plain text. Formats add layout and colour, and
`grader.exception_hints` has the hints for exceptions.
"""

from __future__ import annotations

from grader.explain.failures import (
    failure_lines,
    frame_lines,
    reason,
    refusal_lines,
    refusal_message,
    refusal_summary,
    waiting,
)
from grader.explain.mismatches import (
    details,
    factor_words,
    headline,
    number,
    pattern_sentence,
    place,
    plain_facts,
    shape_words,
    two_numbers,
)
from grader.explain.remarks import confinement, notes, report_notes, why_not
from grader.model import CaseResult, Outcome

__all__ = [
    "confinement",
    "details",
    "factor_words",
    "failure_lines",
    "frame_lines",
    "headline",
    "message",
    "notes",
    "number",
    "pattern_sentence",
    "place",
    "plain_facts",
    "reason",
    "refusal_lines",
    "refusal_message",
    "refusal_summary",
    "report_notes",
    "shape_words",
    "two_numbers",
    "waiting",
    "why_not",
]


def message(result: CaseResult) -> str:
    """Return the message of a case as lines of plain text; '' if the case passed.

    The kind of difference comes first, then its place, then the numbers.
    """
    if result.mismatch:
        return "\n".join([headline(result.mismatch), *details(result.mismatch)])
    if text := reason(result):
        return text
    if result.execution.outcome is not Outcome.RETURNED:
        return "\n".join(failure_lines(result.execution))
    return ""
