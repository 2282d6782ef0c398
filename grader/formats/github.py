"""Reports as annotations of GitHub Actions, and a fence that disables commands in other text.

Sources: github/docs `workflow-commands-for-github-actions.md` (at most ten annotations of a kind
in a step; GitHub drops the rest, in the order of printing), actions/runner
`src/Runner.Common/ActionCommand.cs` (escaping; a line is a command when it begins with `::` after
blanks, or has the older `##[name]` anywhere), `ActionCommandManager.cs` (stop-commands) and
`ExecutionContext.cs` (messages are cut at 4096 characters).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader import explain
from grader.dependencies import is_red
from grader.formats import shared
from grader.model import CaseResult, Outlook, Report, RequirementResult

ENDING = ".txt"

MOST = 10
"""annotations of one kind in a step"""
_LONGEST = 4000


@dataclass(frozen=True, slots=True)
class _Annotation:
    kind: str
    file: str
    line: int | None
    title: str
    message: str


def render(reports: Sequence[Report], folder: str = "") -> str:
    """Return at most `MOST` annotations of each kind, one a line, and the count of the rest.

    `folder` is the course's path in the repository (`""` or `path/`); annotations name files
    relative to the repository's root.
    """
    lines = []
    for kind in ("error", "notice"):
        annotations = [a for a in _annotations(reports, folder) if a.kind == kind]
        lines += [_command(annotation) for annotation in annotations[:MOST]]
        if len(annotations) > MOST:
            lines.append(f"{len(annotations) - MOST} more {kind}s are not annotated.")
    return "".join(f"{line}\n" for line in lines)


def fence_start(token: str) -> str:
    """Return the line that disables workflow commands until `fence_end`.

    The token must be random: a learner who guesses it can end the fence.
    """
    return f"::stop-commands::{token}\n"


def fence_end(token: str) -> str:
    """Return the line that enables workflow commands again."""
    return f"::{token}::\n"


def _annotations(reports: Sequence[Report], folder: str) -> Iterator[_Annotation]:
    """Yield the first red case of every requirement, then the others."""
    several = len(reports) > 1
    named = list(zip(reports, shared.labels(reports), strict=True))
    graded = []
    for report, label in named:
        if report.refusal:
            title, text = f"{label}: cannot be graded", shared.refusal_text(report)
            yield _annotation("error", report, folder, title, text, shared.line_of(report))
        elif report.verdict is Outlook.NOT_STARTED:
            title, text = f"{label}: not started", shared.score_line(report)
            yield _annotation("error", report, folder, title, text, None)
        else:
            graded.append((report, label + ": " if several else ""))
    for report, label in named:
        if note := explain.confinement(report):
            yield _annotation("notice", report, folder, f"{label}: not confined", note, None)
    for report, prefix in graded:
        yield from _of_cases(report, folder, prefix, slice(1))
    for report, prefix in graded:
        yield from _of_cases(report, folder, prefix, slice(1, None))
        needed = [result for result in report.requirements if not shared.is_bonus(result)]
        if report.verdict is not Outlook.PASSED and not any(map(is_red, needed)):
            text = shared.score_line(report)
            yield _annotation("error", report, folder, f"{prefix}not a pass", text, None)


def _of_cases(report: Report, folder: str, prefix: str, chosen: slice) -> Iterator[_Annotation]:
    """Yield the `chosen` red cases of each red requirement."""
    for result in filter(is_red, report.requirements):
        for case in shared.red_cases(result)[chosen]:
            yield _of_case(report, folder, prefix, result, case)


def _of_case(
    report: Report, folder: str, prefix: str, result: RequirementResult, case: CaseResult
) -> _Annotation:
    bonus = shared.is_bonus(result)
    title = f"{prefix}{shared.name_of(result.requirement.id)}{' (bonus)' if bonus else ''}"
    text = "\n".join(filter(None, [shared.case_text(case), shared.hint_of(result)]))
    line = shared.line_of(report, case)
    return _annotation("notice" if bonus else "error", report, folder, title, text, line)


def _annotation(
    kind: str, report: Report, folder: str, title: str, text: str, line: int | None
) -> _Annotation:
    return _Annotation(kind, folder + shared.name_of(report.submission), line, title, text)


def _command(annotation: _Annotation) -> str:
    line = f",line={annotation.line}" if annotation.line else ""
    return (
        f"::{annotation.kind} file={_property(annotation.file)}{line}"
        f",title={_property(annotation.title)}::{_data(annotation.message[:_LONGEST])}"
    )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
