"""Convert the end of a child to facts: its output, its last stack trace, outcome and failure."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from grader import source_text
from grader.child import calling, protocol
from grader.child.learner import REFUSED_BY_SYSTEM
from grader.errors import closest
from grader.model import Failure, Frame, Limits, Outcome, Refusal, Submission, Warned
from grader.runners.frames import Facts
from grader.runners.output import Output, Trace
from grader.text import clean


class Ending(NamedTuple):
    """The end of a child's process.

    `status` is an exit status, minus a signal's number, or None when it is unknown. `peak_mb` is
    the peak of resident memory in MiB, 0 when it was not measured.
    """

    status: int | None
    peak_mb: float = 0.0
    flooded: bool = False
    """whether it wrote more than `OUTPUT_LIMIT`"""
    cpu_seconds: float = 0.0
    """processor time, 0 when it was not measured"""
    refused: int = 0
    """error number of the system call that could not start the process, 0 when it started"""


_LINE_END = re.compile("\r\n|\r|\n")
_LONGEST_LINE = 200


class Sources:
    """The files of one submission, by number and path, for frames and their source lines."""

    def __init__(self, submission: Submission) -> None:
        folder = submission.name.rpartition("/")[0]
        self._bytes = {submission.name: submission.source}
        for helper, source in submission.helpers.items():
            self._bytes[f"{folder}/{helper}.py" if folder else f"{helper}.py"] = source
        self._by_escaped = {
            path.encode("ascii", "backslashreplace").decode("ascii"): path for path in self._bytes
        }
        self._paths = tuple(self._bytes)
        self._beside = {
            module: f"{folder}/{module}.py" if folder else f"{module}.py"
            for module in submission.beside
        }
        self._lines: dict[str, list[str]] = {}

    def beside(self, module: str) -> str:
        """Return the path of a module beside the submission that was not handed in, or ""."""
        return self._beside.get(module.partition(".")[0], "")

    def path(self, number: int | None) -> str:
        """Return the path of the file that has `number` in the child; "" for other numbers."""
        if number is None or number >= len(self._paths):
            return ""
        return self._paths[number]

    def line(self, path: str, number: int) -> str:
        """Return line `number` (from 1) of a file, clean and cut; "" for other files and lines."""
        if path not in self._bytes:
            return ""
        if path not in self._lines:
            self._lines[path] = _LINE_END.split(source_text.decode(self._bytes[path]))
        lines = self._lines[path]
        return clean(lines[number - 1], _LONGEST_LINE) if 0 < number <= len(lines) else ""

    def frames(self, places: Iterable[tuple[int, int, str]]) -> tuple[Frame, ...]:
        """Return the frames at `places` (number of the file, line, function) in known files."""
        return tuple(
            Frame(path, line, function, self.line(path, line).strip())
            for path, line, function in ((self.path(n), line, name) for n, line, name in places)
            if path
        )

    def warnings(self, found: Iterable[calling.ChildWarning]) -> tuple[Warned, ...]:
        """Return warnings with the line and helper path of those from the learner's files."""
        return tuple(self._warned(warned) for warned in found)

    def _warned(self, warned: calling.ChildWarning) -> Warned:
        path = self.path(warned.file)
        if not path:
            return Warned(warned.category, warned.text)
        helper = path if warned.file else ""
        return Warned(warned.category, warned.text, warned.line, helper)

    def traced(self, places: Iterable[tuple[str, int, str]]) -> tuple[Frame, ...]:
        """Return the frames of a trace's `places` (path, line, function) in the learner's files."""
        own = ((self._by_escaped.get(path, path), line, name) for path, line, name in places)
        numbers = {path: number for number, path in enumerate(self._paths)}
        return self.frames((numbers[path], n, name) for path, n, name in own if path in numbers)


_OUT_OF_MEMORY = (
    b"OpenBLAS error: Memory allocation",
    b"OpenBLAS warning: precompiled NUM_THREADS exceeded",
    b"std::bad_alloc",
    b"MemoryError",
)
"""messages of C libraries that end the process when memory runs out"""
_SIGKILL = 9  # Windows has no name for it
_CPU_SLACK = 0.1
"""seconds by which the measure of processor time may lie below the kernel's own"""
_NEAR = 0.85
"""share of the memory limit above which an unexplained signal counts as out of memory"""


class Judgement(NamedTuple):
    """The outcome and the failure of a call or of loading, without output."""

    outcome: Outcome
    failure: Failure


def of_exception(facts: Facts, sources: Sources, *, confined: bool, loading: bool) -> Judgement:
    """Return the judgement of an exception that the child reported.

    `confined` is true when the child runs in a sandbox; then an error number of
    `REFUSED_BY_SYSTEM` means that the sandbox refused a system call.
    """
    frames = sources.frames(facts.frames)
    outcome = Outcome.RAISED
    detail: dict[str, Any] = {"missing": facts.missing} if facts.missing else {}
    if beside := sources.beside(facts.missing):
        detail["beside"] = beside
    if facts.memory:
        outcome = Outcome.MEMORY
    elif confined and facts.errno in REFUSED_BY_SYSTEM:
        outcome, detail = Outcome.FORBIDDEN, {"errno": facts.errno}
    kind = "loading" if loading else "exception"
    return Judgement(outcome, Failure(kind, facts.type_name, facts.message, frames, detail))


Doing = Literal["loading", "call", "submission"]
"""the activity that a time limit applies to"""


def of_timeout(seconds: float, trace: Trace, sources: Sources, *, doing: Doing) -> Judgement:
    """Return the judgement of a child that exceeded a limit of `seconds`, with its stack."""
    facts = {"doing": doing, "seconds": seconds, "in_python": trace.alive}
    return Judgement(Outcome.TIMED_OUT, _ended("timeout", facts, trace, sources))


def of_ending(ending: Ending, output: Output, sources: Sources, limits: Limits) -> Judgement:
    """Return the judgement of a process that ended before it answered."""
    outcome, kind, facts = _ending_facts(ending, output, limits)
    return Judgement(outcome, _ended(kind, facts, output.trace, sources))


def _ending_facts(
    ending: Ending, output: Output, limits: Limits
) -> tuple[Outcome, str, dict[str, Any]]:
    if ending.flooded:
        return Outcome.OUTPUT_LIMIT, "output", {"limit_mb": protocol.OUTPUT_LIMIT // 2**20}
    if _ran_out_of_memory(ending, output, limits):
        return Outcome.MEMORY, "memory", {"limit_mb": limits.memory_mb}
    if ending.status is None:
        return Outcome.CRASHED, "gone", {}
    if ending.status >= 0:
        return Outcome.CRASHED, "exit", {"status": ending.status}
    name = _signal_name(-ending.status)
    if name == "SIGXCPU" or (name == "SIGKILL" and _used_up(ending, limits)):
        return Outcome.TIMED_OUT, "cpu", {"seconds": limits.total_seconds}
    if name == "SIGSYS":
        return Outcome.FORBIDDEN, "system_call", {}
    return Outcome.CRASHED, "signal", {"signal": name}


def _ended(kind: str, facts: dict[str, Any], trace: Trace, sources: Sources) -> Failure:
    return Failure(kind, frames=sources.traced(reversed(trace.frames)), facts=facts)


def of_protocol(reason: str) -> Judgement:
    """Return the judgement of a child that broke the protocol; `reason` says how."""
    return Judgement(Outcome.CRASHED, Failure("protocol", facts={"reason": reason}))


def _ran_out_of_memory(ending: Ending, output: Output, limits: Limits) -> bool:
    if any(text in output.data[-4096:] for text in _OUT_OF_MEMORY):
        return ending.status != 0
    killed = ending.status is not None and ending.status < 0
    return killed and ending.peak_mb >= _NEAR * limits.memory_mb


def is_foreign_kill(ending: Ending, output: Output, limits: Limits) -> bool:
    """Return whether SIGKILL ended a child that neither the grader nor a limit has killed.

    Then the machine ran out of memory, or another process killed the child.
    """
    if ending.status != -_SIGKILL or ending.flooded:
        return False
    return not _ran_out_of_memory(ending, output, limits) and not _used_up(ending, limits)


def _used_up(ending: Ending, limits: Limits) -> bool:
    """Return whether a child used its processor time, after which the kernel kills it."""
    return ending.cpu_seconds >= cpu_seconds(limits) - _CPU_SLACK


def cpu_seconds(limits: Limits) -> int:
    """Return a child's limit of processor time: more than all its calls may take."""
    return int(limits.total_seconds) + 1


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_KINDS = {
    Outcome.RAISED: "import",
    Outcome.TIMED_OUT: "timeout",
    Outcome.CRASHED: "crash",
    Outcome.MEMORY: "memory",
    Outcome.OUTPUT_LIMIT: "output",
    Outcome.FORBIDDEN: "forbidden",
}


def refusal_of_facts(
    facts: Facts, sources: Sources, entry_point: str, confined: bool, output: str
) -> Refusal:
    """Return the refusal that the child reported: syntax error, exception, no entry point."""
    if facts.kind == "missing":
        return Refusal("missing", _missing(facts, entry_point), output=output)
    if facts.kind == "syntax":
        line = facts.line or None
        text = sources.line(sources.path(facts.file), line or 0)
        failure = Failure("syntax", facts.type_name, facts.message)
        return Refusal("syntax", failure, line, facts.column or None, text, output=output)
    return refusal_of_ending(of_exception(facts, sources, confined=confined, loading=True), output)


def refusal_of_ending(judgement: Judgement, output: str) -> Refusal:
    """Return the refusal of a file that raised, or whose child ended, during loading."""
    failure = judgement.failure
    last = failure.frames[-1] if failure.frames else None
    return Refusal(
        _KINDS[judgement.outcome],
        failure,
        line=last.line if last else None,
        text=last.text if last else "",
        output=output,
    )


def _missing(facts: Facts, entry_point: str) -> Failure:
    detail = {
        "entry_point": entry_point,
        "found": facts.found,
        "defined": list(facts.defined),
        "nearest": closest(entry_point, facts.defined),
    }
    return Failure("missing", facts=detail)
