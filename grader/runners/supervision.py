"""Supervise the children that run one submission.

Deadlines use the grader's monotonic clock. After a timeout, a crash or an exceeded limit, a new
child gets the remaining calls, without those of the same requirement. Hidden calls go to a child
that has met no visible one; learners see nothing of it but the verdicts of its calls.
"""

from __future__ import annotations

import enum
import os
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from grader.child import encoding, protocol
from grader.errors import SHORT, MachineError
from grader.model import Call, Execution, Failure, Job, Outcome, Refusal, Run, Warned
from grader.runners import endings, machine
from grader.runners.endings import (
    Ending,
    Judgement,
    Sources,
    refusal_of_ending,
    refusal_of_facts,
)
from grader.runners.executions import Executions
from grader.runners.frames import (
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
from grader.runners.output import Output


class Child(Protocol):
    """The grader's handle of a child process that has a request."""

    @property
    def confined(self) -> bool:
        """Whether the child runs in a sandbox."""

    def receive(self, timeout: float) -> bytes | None:
        """Return the next bytes of frames, at most `CHUNK`.

        b"" when none come within `timeout` s, None after the end.
        Kills a child that wrote more than `OUTPUT_LIMIT`. All frames that a child sent before its
        end are returned before None.
        """

    def ask_trace(self, timeout: float) -> None:
        """Make the child write its stack to its output; wait at most `timeout` s for it."""

    def output(self) -> bytes:
        """Return the output of the child so far."""

    def stop(self) -> Ending:
        """Kill the child and its processes, free its resources, and return how it ended."""

    def release(self) -> None:
        """End a child that has answered all calls; its output can still be read."""


CHUNK = 2**20
"""bytes of frames to take at once: lengths are checked before more are copied"""

Start = Callable[[bytes, str], Child]
"""(bytes of a request, its marker) -> a child that has the request"""


_MOST_KEPT = 8
_LARGEST_KEPT = 8 * 2**20

_kept: dict[tuple[int, ...], tuple[Sequence[Call], protocol.Calls]] = {}
"""`id` of each call -> the calls, which must stay alive, and their bytes"""


def encoded(calls: Sequence[Call]) -> protocol.Calls:
    """Return the encoded arguments of `calls`, from a cache; built arguments never change."""
    key = tuple(map(id, calls))
    if key in _kept:
        return _kept[key][1]
    bytes_ = encoding.encode_calls([call.arguments for call in calls])
    if len(bytes_.payload) <= _LARGEST_KEPT:
        if len(_kept) >= _MOST_KEPT:
            del _kept[next(iter(_kept))]
        _kept[key] = tuple(calls), bytes_
    return bytes_


_START_SECONDS = 60.0
"""for a process to start and import NumPy on a busy machine with cold caches"""
_TRACE_SECONDS = 0.2
_MOST_KILLS = 2


class Phase(enum.Enum):
    """The state of the current child according to its frames."""

    STARTING = "starting"
    """before its first frame; no learner code has run"""
    LOADING = "loading"
    CALLING = "calling"
    OVER = "over"
    """there is no child any more; `Supervision.run` is complete"""


class Supervision:
    """The run of one job: call `advance` until it returns True, then read `run`.

    MachineError when a child does not start or is killed again and again by others. `start` may
    raise errors of the runner.
    """

    def __init__(self, start: Start, job: Job) -> None:
        self._start = start
        self._job = job
        self._limits = job.limits
        self._sources = Sources(job.submission)
        self._executions = Executions(job.calls)
        self._refusal: Refusal | None = None
        self._warnings: tuple[Warned, ...] = ()
        self._began = time.monotonic()
        self._ends = self._began + job.limits.total_seconds
        self._budget = protocol.RESULT_BUDGET
        self._was_loaded = False
        self._kills = 0
        """how many children were killed by neither the grader nor a limit"""
        self._free = 0.0
        """the limit of loading, in s, if loading in the current child is not charged, else 0"""
        # A file whose calls are all hidden is first loaded without any: learners see that output.
        self._begin()

    @property
    def deadline(self) -> float:
        """The monotonic time, in seconds, at which `advance` must be called at the latest."""
        return self._deadline

    def silent(self, now: float) -> float:
        """Return the seconds since the last frame; 0 before any learner code runs."""
        return 0.0 if self._phase is Phase.STARTING else now - self._heard

    @property
    def run(self) -> Run:
        """All executions or the refusal; valid after `advance` has returned True."""
        seconds = time.monotonic() - self._began
        if self._refusal:
            return Run({}, self._refusal, (), seconds)
        return Run(self._executions.executions, None, self._warnings, seconds)

    def advance(self, timeout: float) -> bool:
        """Wait at most `timeout` s for frames and process them; return whether the run is over."""
        if self._is_over:
            return True
        child, reception = self._child, self._reception
        wait = max(0.0, min(timeout, self._deadline - time.monotonic()))
        try:
            while data := child.receive(wait):
                wait = 0.0
                for message in reception.feed(data):
                    self._take(message)
                    if self._is_over or child is not self._child:
                        return self._is_over
        except ProtocolError as error:
            child.stop()
            self._end_call(endings.of_protocol(str(error)))
            return self._is_over
        if data is None:
            self._ended()
        elif time.monotonic() >= self._deadline:
            self._late()
        return self._is_over

    def abandon(self) -> None:
        """Stop the child and drop the run."""
        if not self._is_over:
            self._phase = Phase.OVER
            self._child.stop()

    @property
    def _is_over(self) -> bool:
        return self._phase is Phase.OVER

    def _begin(self) -> None:
        """Start a child for the remaining calls."""
        calls = self._executions.given
        self._marker = os.urandom(8).hex()
        request = protocol.encode_request(
            encoded(calls),
            name=self._job.submission.name,
            source=self._job.submission.source,
            helpers=self._job.submission.helpers,
            entry_point=self._job.entry_point,
            single=self._job.returns.container == "single",
            marker=self._marker,
            seconds=self._limits.seconds,
            memory_mb=self._limits.memory_mb,
            cpu_seconds=endings.cpu_seconds(self._limits),
            result_budget=self._budget,
        )
        self._reception = Reception(len(calls), self._budget)
        self._phase = Phase.STARTING
        self._ended_before = self._ends
        self._started = self._heard = time.monotonic()
        self._deadline = self._started + _START_SECONDS
        self._child = self._start(request, self._marker)

    def _take(self, message: Message) -> None:
        now = self._heard = time.monotonic()
        if isinstance(message, Hello):
            self._phase = Phase.LOADING
            self._ends += now - self._started + self._free
            self._greeted = now
            self._deadline = min(now + self._limits.import_seconds, self._ends)
        elif isinstance(message, Ready):
            self._phase = Phase.CALLING
            if not self._was_loaded:
                self._was_loaded = True
                self._warnings = self._sources.warnings(message.warnings)
            if self._free:
                self._ends += now - self._greeted - self._free
            self._deadline = min(now + self._limits.seconds, self._ends)
        elif isinstance(message, Refused):
            self._refuse(message.facts)
        elif isinstance(message, End):
            self._child.release()
            self._executions.end(self._output())
            self._go_on()
        else:
            self._deadline = min(now + self._limits.seconds, self._ends)
            self._answer(message)

    def _answer(self, message: Returned | Raised) -> None:
        # The child's own measure is more exact than the grader's, but no call outlasts the child.
        seconds = min(message.seconds, time.monotonic() - self._started)
        if isinstance(message, Returned):
            self._executions.add_returned(message, seconds, self._sources)
            return
        judgement = endings.of_exception(
            message.facts, self._sources, confined=self._child.confined, loading=False
        )
        if judgement.outcome is Outcome.MEMORY:
            self._child.stop()
            self._end_call(judgement, seconds)
        else:
            self._executions.add(Execution(judgement.outcome, None, judgement.failure, "", seconds))

    def _ended(self) -> None:
        """Process the end of a child that had not answered all calls."""
        ending = self._child.stop()
        output = self._output()
        if self._phase is Phase.STARTING:
            said = output.data.decode("utf-8", errors="replace")[-2000:]
            raise MachineError(f"the learner's process did not start ({ending}): {said}")
        limits = machine.bounded(self._limits)
        if endings.is_foreign_kill(ending, output, limits) and self._bear_kill():
            return
        self._end_call(endings.of_ending(ending, output, self._sources, limits))

    def _bear_kill(self) -> bool:
        """Give the calls to another child after a kill that nobody here sent.

        Returns False after some kills without a sandbox, since learner code may have sent them.
        MachineError after as many in a sandbox, which refuses that.
        """
        self._kills += 1
        if self._kills > _MOST_KILLS:
            if self._child.confined:
                killed = f"the learner's process was killed {self._kills} times"
                raise MachineError(killed, SHORT, tried=True)
            return False
        self._executions.forget()
        self._ends = self._ended_before + time.monotonic() - self._started
        self._begin()
        return True

    def _late(self) -> None:
        """Stop a child that has exceeded its deadline."""
        is_loading = self._phase is Phase.LOADING
        if self._phase is Phase.STARTING:
            self._child.stop()
            raise MachineError("the learner's process did not start in time")
        seconds = self._limits.import_seconds if is_loading else self._limits.seconds
        doing: endings.Doing = "loading" if is_loading else "call"
        if self._deadline >= self._ends:
            seconds, doing = self._limits.total_seconds, "submission"
        self._child.ask_trace(_TRACE_SECONDS)
        self._child.stop()
        trace = self._output().trace
        self._end_call(endings.of_timeout(seconds, trace, self._sources, doing=doing), seconds)

    def _end_call(self, judgement: Judgement, seconds: float = 0.0) -> None:
        """Record how the current call ended and skip the rest of its requirement.

        If calls remain, start another child for them. If the file was not loaded, refuse it.
        """
        is_loaded = self._phase is Phase.CALLING
        if not self._was_loaded:
            self._refusal = refusal_of_ending(judgement, self._output().of(0))
            self._phase = Phase.OVER
            return
        if not is_loaded and self._executions.hidden:
            self._executions.fail(judgement)
        else:
            self._executions.end_call(judgement, seconds, self._output())
        if time.monotonic() >= self._ends:
            used = {"seconds": self._limits.total_seconds}
            self._executions.leave_out(Failure("used_up", facts=used))
        elif not is_loaded:
            self._executions.leave_out(Failure("not_reloaded"))
        self._go_on()

    def _go_on(self) -> None:
        """Start a child for the calls that remain; without any, the run is complete."""
        were_hidden = self._executions.hidden
        if self._executions.more():
            first_hidden = self._executions.hidden and not were_hidden
            self._free = self._limits.import_seconds if first_hidden else 0.0
            self._budget = self._reception.budget
            self._begin()
        else:
            self._phase = Phase.OVER

    def _refuse(self, facts: Facts) -> None:
        self._child.release()
        if not self._was_loaded:
            self._refusal = refusal_of_facts(
                facts,
                self._sources,
                self._job.entry_point,
                self._child.confined,
                self._output().of(0),
            )
        elif self._executions.hidden:
            self._executions.fail(Judgement(Outcome.RAISED, Failure("not_reloaded")))
        else:
            self._executions.leave_out(Failure("not_reloaded"))
        self._phase = Phase.OVER

    def _output(self) -> Output:
        return Output(self._child.output(), self._marker)
