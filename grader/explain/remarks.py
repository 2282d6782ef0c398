"""Sentences about an answer that is not an array of numbers, or was converted to one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from grader.child import protocol
from grader.model import CaseResult, Remark, Report, Warned

_WHY_NOT = {
    "none": "None",
    "coroutine": "a coroutine: the function is async",
    "generator": "a generator: it must return, not yield",
    "text": "text",
    "bytes": "bytes",
    "class": "a class",
    "dictionary": "a dictionary",
    "set": "a set: it has no order",
    "function": "a function: are the parentheses of a call missing?",
    "iterator": "a {detail}: it must be turned into an array first",
    "object": "an object of type {detail}, not an array",
    "keys": "a dictionary with keys that are not text",
    "integer": "a whole number too large for 64 bits",
    "objects": "an array of Python objects (dtype=object)",
    "text_array": "an array of text",
    "bytes_array": "an array of bytes",
    "dates": "an array of dates",
    "durations": "an array of time differences",
    "dtype": "an array of dtype {detail}",
    "axes": "an array with {detail} axes",
    "long_axis": "an array with an axis of length {detail}",
    "masked": "a masked array with masked entries",
    "too_large": "an array of {detail} MiB: too large",
    "ragged": "a {detail} whose rows have different lengths",
    "not_numbers": "a {detail} that does not contain numbers",
    "not_a_number": "something that is not a number",
}
"""phrase by key of `child.answers.WHY_NOT`, but for `deep`; see `_why_not`"""
_NOTES = {
    "read_as_array": "a {detail} was returned; it was read as an array",
    "unmasked": "a masked array without masked entries was returned; its data was read",
    "cut": f"returned {{detail}} values; the first {protocol.VALUES_LIMIT} were read",
}
"""sentence by key of `child.answers.NOTES`"""
_MOST_NOTES = 8


def why_not(remark: Remark | None) -> str:
    """Return a phrase: why a value is not an array of numbers; "" without a remark."""
    return _why_not(remark)[0] if remark else ""


def why_not_ended(remark: Remark) -> str:
    """Return the phrase of `why_not` with the final mark of its sentence."""
    text, is_question = _why_not(remark)
    return text if is_question else f"{text}."


def _why_not(remark: Remark) -> tuple[str, bool]:
    """Return a phrase, and whether it ends with a question mark."""
    if remark.key == "deep":
        return f"a {remark.inside} nested {remark.detail} deep", False
    phrase = _WHY_NOT[remark.key].format(detail=remark.detail)
    if remark.inside:
        return f"a {remark.inside} that contains {phrase}", remark.key == "function"
    if remark.key == "none":
        return f"{phrase}: is a return missing?", True
    return phrase, remark.key == "function"


def notes(result: CaseResult) -> list[str]:
    """Return the notes about the call of one case, one line each."""
    execution = result.execution
    arguments = enumerate(result.case.arguments)
    return [
        *(_NOTES[note.key].format(detail=note.detail) for note in execution.notes),
        *map(_warning, execution.warnings),
        *(
            f"argument {name} was changed in place"
            for n, name in arguments
            if n in execution.changed
        ),
    ]


def confinement(report: Report) -> str:
    """Return a sentence when nothing confined the submission, else ""."""
    if report.confined:
        return ""
    limits = "without limits" if report.runner == "inprocess" else "guarded against accidents only"
    return f"The runner {report.runner!r} does not confine learner code: it ran {limits}."


def report_notes(report: Report) -> list[str]:
    """Return the notes about loading the file and about all visible cases, each once.

    At most `_MOST_NOTES` notes about cases are returned, and a line with the number of the others.
    """
    counts = Counter(_visible_notes(report))
    found = [f"{note} (in {n} cases)" if n > 1 else note for note, n in counts.items()]
    left_out = len(found) - _MOST_NOTES
    more = [f"and {left_out} more notes"] if left_out > 0 else []
    return [*map(_warning, report.warnings), *found[:_MOST_NOTES], *more]


def _visible_notes(report: Report) -> Iterator[str]:
    results = {case.case.id: case for r in report.requirements for case in r.cases}
    for case in report.problem.cases:
        if not case.hidden and case.id in results:
            yield from dict.fromkeys(notes(results[case.id]))


def _warning(warned: Warned) -> str:
    place = _place(warned)
    return f"{warned.category}: {warned.text}" + (f" ({place})" if place else "")


def _place(warned: Warned) -> str:
    cell = f"cell {warned.cell}" if warned.cell is not None else ""
    line = f"line {warned.line}" if warned.line is not None else ""
    return ", ".join(filter(None, [warned.path, cell, line]))
