"""Why a child ended, in one outcome and one sentence."""

from __future__ import annotations

import errno
import signal
from typing import NamedTuple

from grader.model import Failure, Frame, Limits, Outcome
from grader.runners.handle import Ending
from grader.runners.hints import hint
from grader.runners.messages import Facts
from grader.runners.output import LIMIT, Output, Trace
from grader.runners.sources import Sources
from grader.runners.text import first_line

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
    frames = sources.frames(reversed(trace.frames))
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
    frames = sources.frames(reversed(trace.frames))
    at = f" at {_place(frames[-1])}" if frames else ""
    if ending.flooded:
        message = f"printed more than {LIMIT // 2**20} MiB and was stopped"
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
    message = f"the process sent something that is not an answer ({first_line(reason)})"
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
