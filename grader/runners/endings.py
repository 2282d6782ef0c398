"""How a child ended: what it printed, where it was, and the outcome that this is."""

from __future__ import annotations

import errno
import io
import re
import signal
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from grader.child import protocol
from grader.errors import closest
from grader.model import Failure, Frame, Limits, Outcome, Refusal, Submission
from grader.runners.frames import Facts
from grader.runners.hints import hint
from grader.text import clean, decode, one_line

_KEPT = 4096
"""bytes of output kept for one call"""


class Ending(NamedTuple):
    """How a child's process ended. `status` is an exit status, or minus a signal's number."""

    status: int | None
    peak_mb: float = 0.0
    flooded: bool = False
    """it wrote more than `OUTPUT_LIMIT`"""


class Output:
    """The bytes of one child's output stream, split at the marker of its request."""

    def __init__(self, data: bytes, marker: str) -> None:
        self.data = data
        separator = f"\0{marker}\0".encode("ascii")
        self._parts = _ALIVE.sub(b"", _TRACES.sub(b"", data)).split(separator)

    def of(self, part: int) -> str:
        """Return clean text of one part: 0 while loading, 1 during the first call, ..."""
        if part >= len(self._parts):
            return ""
        text = decode(self._parts[part][:_KEPT], _KEPT)
        left_out = len(self._parts[part]) - _KEPT
        return text + (f"\n... {left_out} more bytes" if left_out > 0 else "")


@dataclass(frozen=True, slots=True)
class Trace:
    """Where Python was: path, line, function, innermost first; `alive` when it still ran."""

    frames: tuple[tuple[str, int, str], ...] = ()
    alive: bool = False


def read_trace(data: bytes, marker: str) -> Trace:
    """Return the last stack that `faulthandler` wrote in `data`."""
    blocks = _TRACES.findall(data)
    if not blocks:
        return Trace()
    text = decode(blocks[-1], 2**16)
    frames = tuple((path, int(line), name) for path, line, name in _FRAME.findall(text))
    return Trace(frames, f"\0{marker}+\0".encode("ascii") in data)


_TRACES = re.compile(
    rb"(?:(?:Fatal Python error|Windows fatal exception|Timeout \()[^\n]*\n\n?)?"
    rb"(?:Stack|Current thread 0x|Thread 0x)[^\n]*\(most recent call first\):\n"
    rb"(?:  [^\n]*\n)*(?:\n?Extension modules: [^\n]*\n?)?"
)
"""what `faulthandler` writes, CPython 3.11 to 3.14"""
_ALIVE = re.compile(rb"\0[0-9a-f]+\+\0")
_FRAME = re.compile(r'^  File "(.*)", line (\d{1,9}) in (.{1,200})$', re.MULTILINE)


_LINE_END = re.compile("\r\n|\r|\n")
_LONGEST_LINE = 200


class Sources:
    """The files of one submission; paths that are not the learner's have no frames."""

    def __init__(self, submission: Submission) -> None:
        folder = submission.name.rpartition("/")[0]
        self._bytes = {submission.name: submission.source}
        for helper, source in submission.helpers.items():
            self._bytes[f"{folder}/{helper}.py" if folder else f"{helper}.py"] = source
        self._by_escaped = {
            path.encode("ascii", "backslashreplace").decode("ascii"): path for path in self._bytes
        }
        self._paths = tuple(self._bytes)
        self._lines: dict[str, list[str]] = {}

    def path(self, number: int | None) -> str:
        """Return the path of the file with that number in the child; "" when there is none."""
        if number is None or number >= len(self._paths):
            return ""
        return self._paths[number]

    def line(self, path: str, number: int) -> str:
        """Return line `number` (from 1) of a file, cut and clean; "" when there is none."""
        if path not in self._bytes:
            return ""
        if path not in self._lines:
            self._lines[path] = _LINE_END.split(_text(self._bytes[path]))
        lines = self._lines[path]
        return clean(lines[number - 1], _LONGEST_LINE) if 0 < number <= len(lines) else ""

    def frames(self, places: Iterable[tuple[int, int, str]]) -> tuple[Frame, ...]:
        """Return the frames at `places`: number of the file, line, function."""
        return tuple(
            Frame(path, line, function, self.line(path, line).strip())
            for path, line, function in ((self.path(n), line, name) for n, line, name in places)
            if path
        )

    def traced(self, places: Iterable[tuple[str, int, str]]) -> tuple[Frame, ...]:
        """Return those of a trace's `places` (path, line, function) that are the learner's own."""
        own = ((self._by_escaped.get(path, path), line, name) for path, line, name in places)
        numbers = {path: number for number, path in enumerate(self._paths)}
        return self.frames((numbers[path], n, name) for path, n, name in own if path in numbers)


def _text(source: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        return source.decode(encoding, errors="replace")
    except (SyntaxError, LookupError):
        return source.decode("utf-8", errors="replace")


_OUT_OF_MEMORY = (
    b"OpenBLAS error: Memory allocation",
    b"OpenBLAS warning: precompiled NUM_THREADS exceeded",
    b"std::bad_alloc",
    b"MemoryError",
)
"""what C libraries say before they end the process themselves"""
_NEAR = 0.85
"""share of the memory limit above which a kill without a reason was for memory"""
_FORBIDDEN = {
    errno.EPERM: "an operation that is not permitted while grading",
    errno.EACCES: "a file or folder that is out of bounds while grading",
    errno.ENETUNREACH: "the network, which is out of bounds while grading",
}


class Judgement(NamedTuple):
    """What happened, without what was printed."""

    outcome: Outcome
    failure: Failure


def of_exception(facts: Facts, sources: Sources, *, confined: bool, loading: bool) -> Judgement:
    """Return the judgement of an exception that the child reported."""
    outcome = Outcome.RAISED
    advice = hint(facts, loading=loading)
    if facts.memory:
        outcome = Outcome.MEMORY
    elif confined and facts.errno in _FORBIDDEN:
        outcome = Outcome.FORBIDDEN
        advice = f"The code asked for {_FORBIDDEN[facts.errno]}."
    frames = sources.frames(facts.frames)
    return Judgement(outcome, Failure(facts.type_name, facts.message, frames, advice))


def of_timeout(seconds: float, trace: Trace, sources: Sources, *, doing: str) -> Judgement:
    """Return the judgement of a child that did not answer in time, and where it was."""
    frames = sources.traced(reversed(trace.frames))
    message = f"{doing} did not finish within {seconds:g} s"
    if frames:
        message += f"; it was stopped at {_place(frames[-1])}"
        if not trace.alive:
            message += ", inside one long call that Python cannot interrupt"
    return Judgement(Outcome.TIMED_OUT, Failure("", message, frames))


def of_ending(
    ending: Ending, output: Output, trace: Trace, sources: Sources, limits: Limits
) -> Judgement:
    """Return the judgement of a process that ended before it had answered."""
    frames = sources.traced(reversed(trace.frames))
    at = f" at {_place(frames[-1])}" if frames else ""
    if ending.flooded:
        message = f"printed more than {protocol.OUTPUT_LIMIT // 2**20} MiB and was stopped"
        return Judgement(Outcome.OUTPUT_LIMIT, Failure("", message, frames))
    if _ran_out_of_memory(ending, output, limits):
        message = f"ran out of memory{at} (limit {limits.memory_mb} MiB)"
        return Judgement(Outcome.MEMORY, Failure("", message, frames))
    status = ending.status
    if status is None:
        return Judgement(Outcome.CRASHED, Failure("", f"the process went away{at}", frames))
    if status >= 0:
        message = f"the process ended itself with exit status {status} before it had answered"
        return Judgement(Outcome.CRASHED, Failure("", message, frames))
    name = _signal_name(-status)
    if name == "SIGXCPU":
        message = f"used more CPU time than the {limits.total_seconds:g} s of a submission"
        return Judgement(Outcome.TIMED_OUT, Failure("", message, frames))
    if name == "SIGSYS":
        message = "made a system call that is not permitted while grading and was stopped"
        return Judgement(Outcome.FORBIDDEN, Failure("", message, frames))
    words = {
        "SIGSEGV": "crashed: it touched memory that is not its own",
        "SIGABRT": "crashed: it aborted",
        "SIGFPE": "crashed: a division that the processor refuses",
        "SIGBUS": "crashed: it touched memory that is not there",
        "SIGILL": "crashed: an instruction that the processor does not know",
        "SIGKILL": "was killed from outside",
    }
    message = f"{words.get(name, 'was ended by a signal')}{at} ({name})"
    return Judgement(Outcome.CRASHED, Failure("", message, frames))


def of_protocol(reason: str) -> Judgement:
    """Return the judgement of a child that sent what no honest child sends."""
    message = f"the process sent something that is not an answer ({one_line(reason)})"
    return Judgement(Outcome.CRASHED, Failure("", message))


def _ran_out_of_memory(ending: Ending, output: Output, limits: Limits) -> bool:
    if any(text in output.data[-4096:] for text in _OUT_OF_MEMORY):
        return ending.status != 0
    killed = ending.status is not None and ending.status < 0
    return killed and ending.peak_mb >= _NEAR * limits.memory_mb


def _place(frame: Frame) -> str:
    return f"{frame.path}, line {frame.line}, in {frame.function}"


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
    """Return the refusal that the child reported: a syntax error, an exception, no entry point."""
    if facts.kind == "missing":
        return _missing(facts, entry_point, output)
    if facts.kind == "syntax":
        line = facts.line or None
        return Refusal(
            "syntax",
            f"{facts.type_name}: {facts.message}",
            line,
            facts.column or None,
            sources.line(sources.path(facts.file), line or 0),
            hint=hint(facts, loading=True),
            output=output,
        )
    judgement = of_exception(facts, sources, confined=confined, loading=True)
    failure = judgement.failure
    last = failure.frames[-1] if failure.frames else None
    message = f"{failure.type_name}: {failure.message}" if failure.message else failure.type_name
    return Refusal(
        _KINDS[judgement.outcome],
        message,
        line=last.line if last else None,
        text=last.text if last else "",
        frames=failure.frames,
        hint=failure.hint,
        output=output,
    )


def refusal_of_ending(judgement: Judgement, output: str) -> Refusal:
    """Return the refusal of a child that ended, or was ended, while it loaded the file."""
    failure = judgement.failure
    last = failure.frames[-1] if failure.frames else None
    return Refusal(
        _KINDS[judgement.outcome],
        failure.message,
        line=last.line if last else None,
        text=last.text if last else "",
        frames=failure.frames,
        hint=failure.hint,
        output=output,
    )


def _missing(facts: Facts, entry_point: str, output: str) -> Refusal:
    if facts.found:
        message = f"{entry_point} is not a function but an object of type {facts.found}"
        return Refusal("missing", message, output=output)
    message = f"the file does not define {entry_point}"
    if facts.defined:
        message += f"; it defines {', '.join(facts.defined)}"
    near = closest(entry_point, facts.defined)
    advice = f"Write a function named {entry_point}."
    if near:
        advice = f"Rename {near} to {entry_point}."
    elif not facts.defined:
        advice = "It defines no function."
    return Refusal("missing", message, hint=advice, output=output)
