"""Sentences about calls without an answer, files that cannot be graded, and skipped cases.

Facts of a `Failure` by kind:

exception     missing (the module that was not found), beside (its path when it lies in the same
              folder but was not handed in), errno (of a refused system call)
loading       the same, of an exception during loading
syntax        -
timeout       doing (loading, call, submission), seconds, in_python (False inside a long C call)
cpu           seconds
memory        limit_mb
output        limit_mb
exit          status
signal        signal (its name)
gone, system_call
protocol      reason
after         case, outcome (of the earlier case that ended the process)
used_up       seconds
not_reloaded  -
missing       entry_point, found (type), defined (names), nearest (name)
others        of a file that was not run; see `_SENTENCES`
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from grader.exception_hints import hint
from grader.model import (
    CaseResult,
    Execution,
    Failure,
    Frame,
    Outcome,
    Reason,
    Refusal,
    RequirementResult,
)

_SIGNALS = {
    "SIGSEGV": "crashed: it accessed memory that it does not own",
    "SIGABRT": "crashed: it aborted",
    "SIGFPE": "crashed: a division that the processor refuses",
    "SIGBUS": "crashed: it accessed memory that does not exist",
    "SIGILL": "crashed: an instruction that the processor does not know",
    "SIGKILL": "was killed from outside",
}
_DOING = {"loading": "loading the file", "call": "the call", "submission": "the submission"}
_ENDED = {
    Outcome.TIMED_OUT: "took too long",
    Outcome.CRASHED: "ended the process",
    Outcome.MEMORY: "ran out of memory",
    Outcome.OUTPUT_LIMIT: "printed too much",
    Outcome.FORBIDDEN: "was stopped by the sandbox",
}
_SENTENCES = {
    "cpu": "used more CPU time than the {seconds:g} s of a submission",
    "memory": "ran out of memory{at} (limit {limit_mb} MiB)",
    "output": "printed more than {limit_mb} MiB and was stopped",
    "exit": "the process ended with exit status {status} before it had answered",
    "gone": "the process disappeared{at}",
    "system_call": "made a system call that is not permitted while grading and was stopped",
    "protocol": "the process sent data that is not an answer ({reason})",
    "used_up": "not run: the {seconds:g} s of a submission were used up",
    "not_reloaded": "not run: the file could not be loaded a second time",
    "link": "the file is a link",
    "not_a_file": "this is not a file",
    "no_file": "there is no such file",
    "unreadable": "the file cannot be read: {reason}",
    "too_large": "the file is larger than {limit_mb} MiB",
    "utf16": "the file is saved as UTF-16, not UTF-8",
    "nul": "the file contains a NUL byte, so it is not Python text",
    "not_utf8": "the file is not UTF-8 text",
    "codec": "the file declares the encoding {name}, which is not supported",
    "notebook_text": "the file contains a Jupyter notebook, not Python",
    "notebook_unreadable": "the notebook cannot be read: {reason}",
    "notebook_too_deep": "the notebook cannot be read: it is nested too deeply",
    "not_a_notebook": "the file contains JSON that is not a notebook",
    "language": "the notebook is written in {language}, not in Python",
    "no_cells": "the notebook has no list of cells",
    "no_code": "the notebook has no code",
    "too_much_code": "the notebook contains more than {limit_mb} MiB of code",
}
"""sentence by kind of failure; `at` is the place in the learner's code, or ''"""


def failure_lines(execution: Execution) -> list[str]:
    """Return lines about a call that did not return: the failure, its frames, a hint."""
    failure = execution.failure or Failure("nothing")
    frames = frame_lines(failure.frames)
    if execution.outcome is Outcome.TIMED_OUT:
        frames = frames[-1:]  # the message has the place; the frame adds its source line
    return [*_headline(failure), *frames, *filter(None, [hint(failure)])]


def refusal_message(refusal: Refusal) -> str:
    """Return one sentence: why a submission could not be run."""
    message = _message(refusal.failure)
    if refusal.cell is not None and not refusal.failure.frames:
        return f"{message} (cell {refusal.cell})"
    return message


def refusal_summary(refusal: Refusal) -> str:
    """Return one line: why a submission could not be run, and the cell and line of the cause."""
    cell = f"cell {refusal.cell}, " if refusal.cell is not None else ""
    where = f" ({cell}line {refusal.line})" if refusal.line else ""
    return f"{_message(refusal.failure)}{where}"


def refusal_lines(refusal: Refusal) -> list[str]:
    """Return lines about a submission that could not be run: the reason, the place, a hint."""
    lines = [refusal_message(refusal)]
    frames = refusal.failure.frames
    if frames:  # after a timeout the message has the place already
        shown = frame_lines(frames)
        lines += shown[-1:] if refusal.failure.kind == "timeout" else shown
    elif refusal.line is not None and refusal.text:
        lines.append(f"  line {refusal.line}: {refusal.text.strip()}")
        if refusal.column and refusal.column <= len(refusal.text) + 1:
            indent = len(refusal.text) - len(refusal.text.lstrip())
            prefix = len(f"  line {refusal.line}: ")
            lines.append(" " * (prefix + max(0, refusal.column - 1 - indent)) + "^")
    elif refusal.line is not None:
        lines.append(f"  line {refusal.line}")
    return [*lines, *filter(None, [hint(refusal.failure)])]


def frame_lines(frames: Sequence[Frame]) -> list[str]:
    """Return the learner's own frames, innermost last, each with its source line."""
    lines = []
    for frame, same in itertools.groupby(frames):
        lines.append(f"  {_place(frame)}")
        if frame.text.strip():
            lines.append(f"    {frame.text.strip()}")
        if again := len(list(same)) - 1:
            lines.append(f"  ... and {again} more of the same")
    return lines


def reason(result: CaseResult) -> str:
    """Return why a case was skipped or hidden, else ""."""
    if result.reason:
        return _reason(result.reason)
    if result.execution.outcome is Outcome.NOT_RUN:
        failure = result.execution.failure
        return _message(failure) if failure else "not run"
    return ""


def waiting(result: RequirementResult) -> str:
    """Return the requirements that a requirement waits for, or why its cases were skipped."""
    if result.waits_for:
        return f"waits for {', '.join(result.waits_for)}"
    return next(filter(None, map(reason, result.cases)), "not judged")


def _reason(reason: Reason) -> str:
    match reason.kind:
        case "waits":
            return f"waits for {', '.join(reason.waits_for)}"
        case "structure":
            shapes = "shape" if len(reason.values) == 1 else "shapes"
            return f"needs {' and '.join(reason.values)} in the right {shapes}"
        case "refused":
            return "the submission could not be run"
        case "hidden":
            return "A hidden case is not right."


def _headline(failure: Failure) -> list[str]:
    if not failure.type_name:
        return _message(failure).splitlines() or ["the call returned nothing"]
    first, *rest = failure.message.splitlines() or [""]
    head = f"{failure.type_name}: {first}" if first else failure.type_name
    return [head, *(f"  {line}" for line in rest)]


def _message(failure: Failure) -> str:
    """Return the failure as one sentence without a full stop."""
    facts = failure.facts
    at = f" at {_place(failure.frames[-1])}" if failure.frames else ""
    match failure.kind:
        case "exception" | "loading" | "syntax":
            return ": ".join(filter(None, [failure.type_name, failure.message]))
        case "timeout":
            return _timeout(facts, at)
        case "signal":
            name = facts["signal"]
            return f"{_SIGNALS.get(name, 'was ended by a signal')}{at} ({name})"
        case "after":
            ended = _ENDED.get(Outcome(facts["outcome"]), "failed")
            return f"not run: {facts['case']} {ended}"
        case "missing":
            return _missing(facts)
        case kind:
            return _SENTENCES.get(kind, "the call returned nothing").format(at=at, **facts)


def _timeout(facts: Mapping[str, Any], at: str) -> str:
    message = f"{_DOING[facts['doing']]} did not finish within {facts['seconds']:g} s"
    if at:
        message += f"; it was stopped{at}"
        if not facts["in_python"]:
            message += ", inside one long call that Python cannot interrupt"
    return message


def _missing(facts: Mapping[str, Any]) -> str:
    name = facts["entry_point"]
    if facts["found"]:
        return f"{name} is not a function but an object of type {facts['found']}"
    defined = ", ".join(facts["defined"])
    return f"the file does not define {name}" + (f"; it defines {defined}" if defined else "")


def _place(frame: Frame) -> str:
    cell = f", cell {frame.cell}" if frame.cell is not None else ""
    return f"{frame.path}{cell}, line {frame.line}, in {frame.function}"
