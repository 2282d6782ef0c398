"""Reports as GitHub-flavoured Markdown: a table of the requirements, then the unmet ones.

Text from a learner is written in code spans and fenced blocks only, where markup, mentions, images
and HTML have no effect. Source: https://github.github.com/gfm/ (code spans, fences, tables).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader import explain
from grader.dependencies import is_red
from grader.formats import shared
from grader.model import Outlook, Report, RequirementResult, Verdict

ENDING = ".md"

LIMIT = 1_000_000
"""bytes; the whole summary of a step in GitHub Actions must stay below 1 MiB"""
_MARKS = {
    Verdict.PASSED: "✅ met",
    Verdict.FAILED: "❌ wrong",
    Verdict.ERRORED: "❌ error",
    Verdict.SKIPPED: "⏸️ waits",
}
_PUNCTUATION = re.compile(r"([\\`*_{}\[\]<>#|&~$@])")
_MOST_CASES = 3
"""red cases shown for each requirement"""


def render(reports: Sequence[Report], limit: int = LIMIT) -> str:
    """Return the reports as one document of at most `limit` bytes of UTF-8.

    If it is too long, details are left out first, then tables; the last line counts the parts left
    out. With a limit below about 100 bytes the document is that line or empty.
    """
    labels = shared.labels(reports)
    tables = [_table(report) for report in reports]
    details = []
    for report, label in zip(reports, labels, strict=True):
        heading = f"#### {_words(label)}\n\n" if len(reports) > 1 else ""
        for detail in _details(report):
            details.append(heading + detail)
            heading = ""
    return _cut_to_limit([*tables, *details], limit)


def _cut_to_limit(parts: Sequence[str], limit: int) -> str:
    sizes = [len(part.encode()) for part in parts]
    if sum(sizes) <= limit:
        return "".join(parts)
    kept: list[str] = []
    left = limit - len(_left_out(len(parts)).encode())
    for part, size in zip(parts, sizes, strict=True):
        if size > left:
            break
        kept.append(part)
        left -= size
    text = "".join(kept) + _left_out(len(parts) - len(kept))
    return text if len(text.encode()) <= limit else ""


def _left_out(count: int) -> str:
    return f"\n{count} more parts are left out, since the page has reached its size limit.\n"


def _table(report: Report) -> str:
    lines = [f"### {_words(report.problem.title)}", "", f"{_code(report.submission)}", ""]
    lines += [f"**{_words(shared.score_line(report))}**", ""]
    if note := explain.confinement(report):
        lines += [_words(note), ""]
    if report.refusal:
        lines += ["The file cannot be graded:", "", _block(shared.refusal_text(report))]
        return "\n".join(lines) + "\n"
    lines += ["| | requirement | | cases |", "|---|---|---|---|"]
    for result in report.requirements:
        name = _words(shared.name_of(result.requirement.id))
        name += " (bonus)" if shared.is_bonus(result) else ""
        mark = "— not started" if report.verdict is Outlook.NOT_STARTED else _MARKS[result.verdict]
        says = _words(result.requirement.says)
        lines.append(f"| {mark} | {name} | {says} | {shared.counted(result)} |")
    return "\n".join(lines) + "\n\n"


def _details(report: Report) -> Iterator[str]:
    if report.refusal or report.verdict is Outlook.NOT_STARTED:
        return
    for result in report.requirements:
        if is_red(result):
            yield _detail(result)
        elif result.verdict is Verdict.SKIPPED:
            name = _code(shared.name_of(result.requirement.id))
            yield f"{name}: {_code(shared.requirement_text(result))}\n\n"


def _detail(result: RequirementResult) -> str:
    red = shared.red_cases(result)
    lines = [f"**{_code(shared.name_of(result.requirement.id))}**", ""]
    for case in red[:_MOST_CASES]:
        lines += [_block(shared.case_text(case)), ""]
        output = shared.tidy(case.execution.output, 2000)
        if output.strip():
            lines += ["your code printed:", "", _block(output), ""]
    if len(red) > _MOST_CASES:
        more = len(red) - _MOST_CASES
        is_wrong = "1 more case is" if more == 1 else f"{more} more cases are"
        lines += [f"{is_wrong} not right.", ""]
    if hint := shared.hint_of(result):
        lines += [_words(hint), ""]
    return "\n".join(lines) + "\n"


def _words(text: str) -> str:
    """Return an author's text on one line with Markdown's punctuation escaped."""
    line = " ".join(shared.tidy(text).split())
    return _PUNCTUATION.sub(r"\\\1", line)


def _code(text: str) -> str:
    """Return text as a code span; not for tables, where a bar ends the cell even inside a span."""
    line = " ".join(shared.tidy(text, 300).split()) or "unnamed"
    ticks = "`" * (_longest_run(line) + 1)
    space = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def _block(text: str) -> str:
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}text\n{text.strip(chr(10))}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)
