"""A Jupyter notebook as a submission: its code cells as one source text, and the way back.

Source: https://nbformat.readthedocs.io/en/latest/format_description.html. Of `source`, magics go
(lines of IPython's own syntax); every other line stays where it is. Cells after the last one that
defines the entry point are left out: they try it, plot it or grade it. All by pattern, since the
text may be hostile and nothing may run here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from grader.model import Execution, Failure, Frame, Refusal, Run, Submission

MOST_CODE = 1024 * 1024
_PYTHON_CELLS = frozenset({"capture", "debug", "prun", "time", "timeit"})
"""cell magics whose body is Python that runs here"""
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
    """A notebook's code as a Python source, and what stands for each of its lines."""

    source: str
    line_map: tuple[str, ...]
    """`cell 3, line 2`; cells count as `In [3]` does after *Restart and run all*"""


def read(data: bytes, entry_point: str) -> Script | Refusal:
    """Return the code of a notebook up to the last cell that defines `entry_point`."""
    cells = _code_cells(data)
    if isinstance(cells, Refusal):
        return cells
    definition = re.compile(
        rf"^(?:(?:async[ \t]+)?def|class)[ \t]+{entry_point}\b|^{entry_point}[ \t]*=(?!=)",
        re.MULTILINE,
    )
    defining = [number for number, text in cells if definition.search(text)]
    lines: list[str] = []
    places: list[str] = []
    for number, text in cells:
        if defining and number > defining[-1]:
            break
        for line_number, line in enumerate(_python_lines(text), start=1):
            lines.append(line)
            places.append(f"cell {number}, line {line_number}")
    return Script("".join(f"{line}\n" for line in lines), tuple(places))


def relocated(run: Run, submission: Submission) -> Run:
    """Return what happened with every line of the source told as cell and line."""
    if not submission.line_map:
        return run
    where = _Places(submission)
    return replace(
        run,
        executions={case: where.execution(e) for case, e in run.executions.items()},
        refusal=run.refusal and where.refusal(run.refusal),
        notes=tuple(map(where.text, run.notes)),
    )


@dataclass(frozen=True, slots=True)
class _Places:
    submission: Submission

    def cell(self, line: int) -> tuple[str, int]:
        """Return `cell 3` and the line in it; ("", line) for a line that is in no cell."""
        if not 0 < line <= len(self.submission.line_map):
            return "", line
        cell, _, number = self.submission.line_map[line - 1].rpartition(", line ")
        return cell, int(number)

    def frame(self, frame: Frame) -> Frame:
        cell, line = self.cell(frame.line)
        if frame.path != self.submission.name or not cell:
            return frame
        return replace(frame, path=f"{frame.path}, {cell}", line=line)

    def failure(self, failure: Failure) -> Failure:
        frames = tuple(map(self.frame, failure.frames))
        return replace(failure, frames=frames, message=self.text(failure.message))

    def execution(self, execution: Execution) -> Execution:
        failure = execution.failure and self.failure(execution.failure)
        return replace(execution, failure=failure, notes=tuple(map(self.text, execution.notes)))

    def refusal(self, refusal: Refusal) -> Refusal:
        message = self.text(refusal.message)
        moved = replace(refusal, frames=tuple(map(self.frame, refusal.frames)), message=message)
        if refusal.line is None:
            return moved
        cell, line = self.cell(refusal.line)
        return replace(moved, line=line, message=f"{message} ({cell})") if cell else moved

    def text(self, text: str) -> str:
        """Return a text of ours with `(line 7)` and `notebook.ipynb, line 7` as cell and line."""

        def place(found: re.Match[str]) -> str:
            cell, line = self.cell(int(found[2]))
            return f"{found[1]}{cell}, line {line}" if cell else found[0]

        return re.sub(rf"(\(|{re.escape(self.submission.name)}, )line (\d{{1,9}})\b", place, text)


def _code_cells(data: bytes) -> list[tuple[int, str]] | Refusal:
    """Return number and text of the code cells that are not empty."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        return _refusal(f"the notebook cannot be read: {reason}", "Save it again in Jupyter.")
    if not isinstance(document, dict):
        return _refusal("the file holds JSON, but no notebook", "Save it again in Jupyter.")
    language = _language(document)
    if language not in ("python", ""):
        return _refusal(f"the notebook is written in {language}, not in Python", "")
    cells = document.get("cells")
    if not isinstance(cells, list):
        return _refusal(
            "the notebook has no list of cells",
            "A very old notebook? Open it in Jupyter and save it again.",
        )
    texts = [_source(cell) for cell in cells]
    found = list(enumerate((text for text in texts if text.strip()), start=1))
    if not found:
        return _refusal("the notebook has no code", "Did you save it?")
    if sum(len(text) for _, text in found) > MOST_CODE:
        return _refusal("the notebook holds more than 1 MiB of code", "Load data from a file.")
    return found


def _language(document: dict[str, Any]) -> str:
    metadata = document.get("metadata")
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        part = metadata.get(key) if isinstance(metadata, dict) else None
        if isinstance(part, dict) and isinstance(part.get(name), str):
            return str(part[name])[:40].lower()
    return ""


def _source(cell: Any) -> str:
    """Return the text of a code cell, "" for anything else."""
    if not isinstance(cell, dict) or cell.get("cell_type") != "code":
        return ""
    source = cell.get("source")
    parts = source if isinstance(source, list) else [source]
    text = "".join(part for part in parts if isinstance(part, str))
    return text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "replace").decode()


def _refusal(message: str, hint: str) -> Refusal:
    return Refusal("notebook", message, hint=hint)


def _python_lines(text: str) -> Iterator[str]:
    """Yield the lines of a cell; for a line of IPython's own syntax one that does nothing."""
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
        if continued:  # the rest of a magic that a backslash continues
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
            # A block must not lose its only line; at the top nothing is needed.
            yield f"{indent}pass" if indent else ""
        else:
            state.scan(line)
            yield line


class _Scan:
    """Whether the next line begins a statement, or is inside brackets or a string.

    Not the standard `tokenize`: it stops at the first magic, does not tell that a string is open
    before it ends, and on Python 3.12.1 its time grows with the square of a line's length.
    """

    def __init__(self) -> None:
        self._brackets = 0
        self._quote = ""
        self._continued = False

    @property
    def inside(self) -> bool:
        """Whether the lines so far leave something open."""
        return bool(self._brackets or self._quote or self._continued)

    def scan(self, line: str) -> None:
        """Take one more line in."""
        at, in_comment = 0, False
        while at < len(line):
            if self._quote:
                at = self._after_string(line, at)
                continue
            token = _TOKEN.match(line, at)
            assert token  # together the alternatives take any character
            at = token.end()
            self._quote = token["triple"] or token["quote"] or ""
            if token["open"]:
                self._brackets += 1
            elif token["close"]:
                self._brackets = max(0, self._brackets - 1)
            in_comment = token["comment"] is not None
        self._continued = line.endswith("\\") and not self._quote and not in_comment

    def _after_string(self, line: str, at: int) -> int:
        """Return where the open string ends in `line`, or a place after the line."""
        while at < len(line):
            if line[at] == "\\":
                at += 2
            elif line.startswith(self._quote, at):
                at += len(self._quote)
                self._quote = ""
                return at
            else:
                at += 1
        if len(self._quote) == 1 and at == len(line):  # no backslash continues it: a mistake
            self._quote = ""
        return at
