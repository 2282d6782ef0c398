"""Watch over the child that runs one submission, whatever runner started it.

Deadlines are the grader's monotonic clock. After a timeout, a crash or the like, a new child
takes the calls that are left, without those of the requirement that was hit.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from grader.model import (
    Call,
    Execution,
    Failure,
    Limits,
    Outcome,
    Refusal,
    Returns,
    Run,
    Submission,
)
from grader.runners import channel, judge
from grader.runners.encoding import encoded
from grader.runners.judge import Ending, Judgement
from grader.runners.output import Output, read_trace
from grader.runners.reception import (
    End,
    Facts,
    Hello,
    Message,
    ProtocolError,
    Raised,
    Ready,
    Reception,
    Refused,
    Returned,
)
from grader.runners.refusals import refusal_of_ending, refusal_of_facts
from grader.runners.sources import Sources

_FORK_SECONDS = 0.4
"""for a warm child to be made, beside the time for loading"""
_TRACE_SECONDS = 0.2
_FATAL = frozenset({Outcome.TIMED_OUT, Outcome.CRASHED, Outcome.MEMORY, Outcome.OUTPUT_LIMIT})
_WORDS = {
    Outcome.TIMED_OUT: "took too long",
    Outcome.CRASHED: "ended the process",
    Outcome.MEMORY: "ran out of memory",
    Outcome.OUTPUT_LIMIT: "printed too much",
    Outcome.FORBIDDEN: "was stopped by the sandbox",
}


class Child(Protocol):
    """A process that was given a job, as a supervision sees it."""

    @property
    def confined(self) -> bool:
        """Whether a sandbox answers some of its system calls."""

    @property
    def flooded(self) -> bool:
        """Whether it wrote more than `output.LIMIT`."""

    @property
    def start_seconds(self) -> float | None:
        """How long it may take until it says hello; None when that is learner code's own time.

        A warm child shares memory with the grader, so its hello can be unsaid by learner code.
        """

    def receive(self, timeout: float) -> bytes | None:
        """Return frame bytes that arrived, b"" after `timeout` s without, None after its end."""

    def ask_trace(self, timeout: float) -> None:
        """Make it write its stack to its output, where the system can; wait for it a little."""

    def output(self) -> bytes:
        """Return what it wrote so far."""

    def stop(self) -> Ending:
        """End it and all it started, free everything, and return how it ended."""

    def release(self) -> None:
        """Let go of a child that has answered everything; its output can still be read."""


Start = Callable[[bytes, str], Child]
"""takes a job's bytes and its marker"""


class Supervision:
    """One submission under way: call `advance` until it returns True, then read `run`."""

    def __init__(
        self,
        start: Start,
        submission: Submission,
        entry_point: str,
        returns: Returns,
        calls: Sequence[Call],
        limits: Limits,
    ) -> None:
        self._start = start
        self._submission = submission
        self._entry_point = entry_point
        self._single = returns.container == "single"
        self._limits = limits
        self._sources = Sources(submission)
        self._left: Sequence[Call] = calls
        self._order = [call.case for call in calls]
        self._executions: dict[str, Execution] = {}
        self._refusal: Refusal | None = None
        self._notes: tuple[str, ...] = ()
        self._began = time.monotonic()
        self._ends = float("inf")
        self._budget = channel.RESULT_BUDGET
        self._loaded_once = False
        self._finished = False
        self._begin()

    @property
    def deadline(self) -> float:
        """The monotonic time at which `advance` must be called even if nothing arrives."""
        return self._deadline

    @property
    def heard(self) -> float:
        """The monotonic time of the last sign of life."""
        return self._heard

    @property
    def run(self) -> Run:
        """All executions; valid once `advance` has returned True."""
        seconds = time.monotonic() - self._began
        if self._refusal:
            return Run({}, self._refusal, (), seconds)
        executions = {case: self._executions[case] for case in self._order}
        return Run(executions, None, self._notes, seconds)

    def advance(self, timeout: float) -> bool:
        """Wait at most `timeout` s for something to happen; return whether all is known."""
        if self._finished:
            return True
        child, reception = self._child, self._reception
        data = child.receive(max(0.0, min(timeout, self._deadline - time.monotonic())))
        try:
            for message in reception.feed(data or b""):
                self._take(message)
                if self._finished or child is not self._child:
                    return self._finished
        except ProtocolError as problem:
            self._hit(judge.of_protocol(str(problem)), child.stop())
            return self._finished
        if data is None or child.flooded:
            self._ended()
        elif time.monotonic() >= self._deadline:
            self._late()
        return self._finished

    def abandon(self) -> None:
        """Stop the child; nothing more is wanted."""
        if not self._finished:
            self._finished = True
            self._child.stop()

    def _begin(self) -> None:
        """Start a child for the calls that are left."""
        self._marker = os.urandom(8).hex()
        job = channel.encode_job(
            encoded(self._left),
            name=self._submission.name,
            source=self._submission.source,
            helpers=self._submission.helpers,
            entry_point=self._entry_point,
            single=self._single,
            marker=self._marker,
            seconds=self._limits.seconds,
            memory_mb=self._limits.memory_mb,
            cpu_seconds=int(self._limits.total_seconds) + 1,
            result_budget=self._budget,
        )
        self._reception = Reception(len(self._left), self._budget)
        self._here: list[Execution] = []
        self._child = self._start(job, self._marker)
        self._heard = time.monotonic()
        seconds = self._child.start_seconds
        self._phase = "loading" if seconds is None else "starting"
        if seconds is None:
            seconds = self._limits.import_seconds + _FORK_SECONDS
            self._ends = min(self._ends, self._heard + self._limits.total_seconds)
        self._deadline = self._heard + seconds

    def _take(self, message: Message) -> None:
        now = self._heard = time.monotonic()
        if isinstance(message, Hello):
            if self._ends == float("inf"):
                self._ends = now + self._limits.total_seconds
            self._phase = "loading"
            self._deadline = min(now + self._limits.import_seconds, self._ends)
        elif isinstance(message, Ready):
            self._phase = "calling"
            self._notes = self._notes or message.notes
            self._loaded_once = True
            self._deadline = min(now + self._limits.seconds, self._ends)
        elif isinstance(message, Refused):
            self._refuse(message.facts)
        elif isinstance(message, End):
            self._child.release()
            self._settle()
            self._finish()
        else:
            self._deadline = min(now + self._limits.seconds, self._ends)
            self._answer(message)

    def _answer(self, message: Returned | Raised) -> None:
        if isinstance(message, Returned):
            seconds = message.seconds
            self._here.append(
                Execution(Outcome.RETURNED, message.answer, seconds=seconds, notes=message.notes)
            )
            return
        judgement = judge.of_exception(
            message.facts, self._sources, confined=self._child.confined, loading=False
        )
        if judgement.outcome is Outcome.MEMORY:
            self._hit(judgement, self._child.stop(), message.seconds)
        else:
            self._here.append(
                Execution(judgement.outcome, None, judgement.failure, "", message.seconds)
            )

    def _ended(self) -> None:
        """The child is gone, or must go, before its end was due."""
        ending = self._child.stop()
        output = Output(self._child.output(), self._marker)
        trace = read_trace(output.data, self._marker)
        if self._phase == "starting":
            said = output.data.decode("utf-8", errors="replace")[-2000:]
            raise RuntimeError(f"the learner's process did not start ({ending}): {said}")
        self._hit(judge.of_ending(ending, output, trace, self._sources, self._limits), ending)

    def _late(self) -> None:
        if self._phase == "starting":
            self._child.stop()
            raise RuntimeError("the learner's process did not start in time")
        out_of_budget = self._deadline >= self._ends
        self._child.ask_trace(_TRACE_SECONDS)
        ending = self._child.stop()
        trace = read_trace(self._child.output(), self._marker)
        loading = self._phase == "loading"
        seconds = self._limits.import_seconds if loading else self._limits.seconds
        if out_of_budget:
            seconds, doing = self._limits.total_seconds, "the submission"
        else:
            doing = "loading the file" if loading else "the call"
        judgement = judge.of_timeout(seconds, trace, self._sources, doing=doing)
        self._hit(judgement, ending, seconds)

    def _hit(self, judgement: Judgement, ending: Ending, seconds: float = 0.0) -> None:
        """Record what befell the current call; go on with the other requirements."""
        if self._phase == "loading" and not self._loaded_once:
            output = Output(self._child.output(), self._marker).of(0)
            self._refusal = refusal_of_ending(judgement, output)
            self._finish()
            return
        position = min(len(self._here), len(self._left) - 1)
        if position < 0:
            self._settle()
            self._finish()
            return
        del self._here[position:]
        call = self._left[position]
        self._here.append(Execution(judgement.outcome, None, judgement.failure, seconds=seconds))
        self._settle()
        rest = self._left[position + 1 :]
        why = f"not run: {call.case} {_WORDS.get(judgement.outcome, 'failed')}"
        self._leave_out([c for c in rest if c.requirement == call.requirement], why)
        self._left = [c for c in rest if c.requirement != call.requirement]
        if self._left and time.monotonic() < self._ends and self._phase == "calling":
            self._budget = self._reception.budget
            self._begin()
            return
        if self._phase == "calling":
            why = f"not run: the {self._limits.total_seconds:g} s of a submission were used up"
        self._leave_out(self._left, why)
        self._finish()

    def _leave_out(self, calls: Sequence[Call], why: str) -> None:
        for call in calls:
            self._executions[call.case] = Execution(Outcome.NOT_RUN, None, Failure("", why))

    def _settle(self) -> None:
        """Give this child's executions what they printed and keep them."""
        output = Output(self._child.output(), self._marker)
        for position, execution in enumerate(self._here):
            printed = output.of(position + 1)
            if printed:
                execution = dataclasses.replace(execution, output=printed)
            self._executions[self._left[position].case] = execution

    def _refuse(self, facts: Facts) -> None:
        self._child.release()
        output = Output(self._child.output(), self._marker).of(0)
        if self._loaded_once:
            message = "not run: the file could not be loaded a second time"
            self._leave_out(self._left, message)
        else:
            self._refusal = refusal_of_facts(
                facts, self._sources, self._entry_point, self._child.confined, output
            )
        self._finish()

    def _finish(self) -> None:
        self._finished = True
