"""Convert a Jupyter notebook to one Python source, and lines of the source to cells and lines.

Source of the format: https://nbformat.readthedocs.io/en/latest/format_description.html. Magics
(lines of IPython's own syntax) are replaced by lines without effect, so line numbers stay the same.
Cells after the last definition of the entry point are left out: they try, plot or grade it. The
text may be hostile, so it is matched by patterns and never executed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grader.model import Execution, Failure, Frame, Refusal, Run, Submission, Warned
from grader.text import clean_line

MOST_CODE = 1024 * 1024
_PYTHON_CELLS = frozenset({"capture", "debug", "prun", "time", "timeit"})
"""cell magics whose body is Python code of the notebook itself"""
_MAGIC = re.compile(r"[ \t]*(?:%{1,2}[A-Za-z_]|!|\?{1,2}[\w.]+\s*$|[\w.]+\?{1,2}\s*$)")
_ASSIGNED = re.compile(r"([\w., \t]+?=[ \t]*)(?:%[A-Za-z_]|!)")
_TOKEN = re.compile(
    r"""(?P<comment>\#.*)"""
    r"""|(?P<triple>'{3}|\"{3})"""
    r"""|(?P<string>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
    r"""|(?P<quote>['"])"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|[^'"\#()\[\]{}]+"""
)


@dataclass(frozen=True, slots=True)
class Script:
    """A notebook's code as a Python source, and the cell and line of each of its lines."""

    source: str
    line_map: tuple[tuple[int, int], ...]
    """(cell, line in the cell), from 1; cells count like `In [3]` after *Restart and run all*"""


def read(data: bytes, entry_point: str) -> Script | Refusal:
    """Return a notebook's code up to the last cell that defines `entry_point`, or a refusal."""
    cells = _code_cells(data)
    if isinstance(cells, Refusal):
        return cells
    definition = re.compile(
        rf"^(?:(?:async[ \t]+)?def|class)[ \t]+{entry_point}\b|^{entry_point}[ \t]*=(?!=)",
        re.MULTILINE,
    )
    defining = [number for number, text in cells if definition.search(text)]
    lines: list[str] = []
    places: list[tuple[int, int]] = []
    for number, text in cells:
        if defining and number > defining[-1]:
            break
        for line_number, line in enumerate(_python_lines(text), start=1):
            lines.append(line)
            places.append((number, line_number))
    return Script("".join(f"{line}\n" for line in lines), tuple(places))


def relocated(run: Run, submission: Submission) -> Run:
    """Return a run with every line of the source replaced by cell and line."""
    if not submission.line_map:
        return run
    places = _Places(submission)
    return replace(
        run,
        executions={case: places.execution(e) for case, e in run.executions.items()},
        refusal=run.refusal and places.refusal(run.refusal),
        warnings=tuple(map(places.warning, run.warnings)),
    )


def relocated_refusal(refusal: Refusal, line_map: Sequence[tuple[int, int]]) -> Refusal:
    """Return a refusal with its line of the source replaced by cell and line."""
    if refusal.line is None or not 0 < refusal.line <= len(line_map):
        return refusal
    cell, line = line_map[refusal.line - 1]
    return replace(refusal, cell=cell, line=line)


@dataclass(frozen=True, slots=True)
class _Places:
    submission: Submission

    def cell(self, line: int | None) -> tuple[int | None, int | None]:
        """Return the number of the cell and the line in it; (None, line) outside all cells."""
        if line is None or not 0 < line <= len(self.submission.line_map):
            return None, line
        return self.submission.line_map[line - 1]

    def frame(self, frame: Frame) -> Frame:
        cell, line = self.cell(frame.line)
        if frame.path != self.submission.name or line is None:
            return frame
        return replace(frame, cell=cell, line=line)

    def failure(self, failure: Failure) -> Failure:
        return replace(failure, frames=tuple(map(self.frame, failure.frames)))

    def warning(self, warned: Warned) -> Warned:
        if warned.path:
            return warned
        cell, line = self.cell(warned.line)
        return replace(warned, cell=cell, line=line)

    def execution(self, execution: Execution) -> Execution:
        failure = execution.failure and self.failure(execution.failure)
        warnings = tuple(map(self.warning, execution.warnings))
        return replace(execution, failure=failure, warnings=warnings)

    def refusal(self, refusal: Refusal) -> Refusal:
        moved = replace(refusal, failure=self.failure(refusal.failure))
        frames = refusal.failure.frames
        if frames and frames[-1].path != self.submission.name:
            return moved
        return relocated_refusal(moved, self.submission.line_map)


def _code_cells(data: bytes) -> list[tuple[int, str]] | Refusal:
    """Return number and text of the code cells that are not empty."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        if isinstance(error, RecursionError):
            return _refusal("notebook_too_deep")
        return _refusal("notebook_unreadable", reason=str(error))
    if not isinstance(document, dict):
        return _refusal("not_a_notebook")
    language = _language(document)
    if language not in ("python", ""):
        return _refusal("language", language=language)
    cells = document.get("cells")
    if not isinstance(cells, list):
        return _refusal("no_cells")
    texts = [_source(cell) for cell in cells]
    found = list(enumerate((text for text in texts if text.strip()), start=1))
    if not found:
        return _refusal("no_code")
    if sum(len(text) for _, text in found) > MOST_CODE:
        return _refusal("too_much_code", limit_mb=MOST_CODE >> 20)
    return found


def _language(document: dict[str, Any]) -> str:
    metadata = document.get("metadata")
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        part = metadata.get(key) if isinstance(metadata, dict) else None
        if isinstance(part, dict) and isinstance(part.get(name), str):
            return clean_line(part[name], 40).lower()
    return ""


def _source(cell: Any) -> str:
    """Return the text of a code cell, "" for anything else."""
    if not isinstance(cell, dict) or cell.get("cell_type") != "code":
        return ""
    source = cell.get("source")
    parts = source if isinstance(source, list) else [source]
    text = "".join(part for part in parts if isinstance(part, str))
    return text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode()


def _refusal(kind: str, **facts: str | int) -> Refusal:
    return Refusal("notebook", Failure(kind, facts=facts))


def _python_lines(text: str) -> Iterator[str]:
    """Yield the lines of a cell, with magics replaced by lines without effect."""
    lines = text.removesuffix("\n").split("\n")
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%"):
        magic = re.match(r"%%(\w*)", first)
        if not magic or magic[1] not in _PYTHON_CELLS:
            yield from ("" for _ in lines)
            return
    state = _Scan()
    continued = False
    for line in lines:
        if continued:  # a continuation line of a magic
            continued = line.endswith("\\")
            yield ""
        elif state.inside:
            state.scan(line)
            yield line
        elif assigned := _ASSIGNED.match(line):
            continued = line.endswith("\\")
            yield f"{assigned[1]}None"
        elif _MAGIC.match(line):
            continued = line.endswith("\\")
            indent = line[: len(line) - len(line.lstrip())]
            # An indented block needs a statement; the top level does not.
            yield f"{indent}pass" if indent else ""
        else:
            state.scan(line)
            yield line


class _Scan:
    """Whether the next line begins a statement, or is inside brackets or a string.

    `tokenize` of the standard library cannot be used: it stops at the first magic, reports a string
    only after its end, and on Python 3.12.1 takes quadratic time in the length of a line.
    """

    def __init__(self) -> None:
        self._brackets = 0
        self._quote = ""
        self._continued = False

    @property
    def inside(self) -> bool:
        """Whether a bracket, a string or a continued line is open after the lines so far."""
        return bool(self._brackets or self._quote or self._continued)

    def scan(self, line: str) -> None:
        """Read one more line."""
        at, in_comment = 0, False
        while at < len(line):
            if self._quote:
                at = self._after_string(line, at)
                continue
            token = _TOKEN.match(line, at)
            assert token  # the alternatives match any character
            at = token.end()
            self._quote = token["triple"] or token["quote"] or ""
            if token["open"]:
                self._brackets += 1
            elif token["close"]:
                self._brackets = max(0, self._brackets - 1)
            in_comment = token["comment"] is not None
        self._continued = line.endswith("\\") and not self._quote and not in_comment

    def _after_string(self, line: str, at: int) -> int:
        """Return the index after the open string's end in `line`, or the line's length or more."""
        while at < len(line):
            if line[at] == "\\":
                at += 2
            elif line.startswith(self._quote, at):
                at += len(self._quote)
                self._quote = ""
                return at
            else:
                at += 1
        if len(self._quote) == 1 and at == len(
            line
        ):  # a syntax error: the line ends without a backslash
            self._quote = ""
        return at
