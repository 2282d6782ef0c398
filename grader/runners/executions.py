"""Collect the executions of one submission from one or several children."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from grader.model import Call, Execution, Failure, Outcome
from grader.runners.endings import Judgement, Sources
from grader.runners.frames import Returned
from grader.runners.output import Output


class Executions:
    """Executions by case, and the calls that the current child has in its request.

    Hidden calls go to children of their own, after all visible ones: a child of visible calls,
    whose output and exceptions learners see, never has a hidden argument.
    """

    def __init__(self, calls: Sequence[Call]) -> None:
        self.given: Sequence[Call] = [call for call in calls if not call.hidden]
        """the calls of the current child, in order"""
        self.hidden = False
        """whether the current child has hidden calls"""
        self._later: Sequence[Call] = [call for call in calls if call.hidden]
        self._order = [call.case for call in calls]
        self._here: list[Execution] = []
        self._settled: dict[str, Execution] = {}

    @property
    def executions(self) -> Mapping[str, Execution]:
        """Case id -> execution, in the order of the calls; KeyError while one is missing."""
        return {case: self._settled[case] for case in self._order}

    def more(self) -> bool:
        """Return whether calls remain; `given` are then those of the next child."""
        if not self.given and self._later:
            self.given, self._later, self.hidden = self._later, [], True
        return bool(self.given)

    def add(self, execution: Execution) -> None:
        """Record the execution of the current child's next call."""
        self._here.append(execution)

    def add_returned(self, message: Returned, seconds: float, sources: Sources) -> None:
        """Record the answer of the next call, without positions beyond its arguments."""
        here = len(self._here)
        count = len(self.given[here].arguments) if here < len(self.given) else 0
        self.add(
            Execution(
                Outcome.RETURNED,
                message.answer,
                seconds=seconds,
                notes=message.notes,
                changed=tuple(position for position in message.changed if position < count),
                warnings=sources.warnings(message.warnings),
            )
        )

    def forget(self) -> None:
        """Drop the executions of the current child, whose calls another child gets."""
        self._here = []

    def end(self, output: Output) -> None:
        """Record that the current child has answered all its calls."""
        self._settle(output)
        self.given = []

    def _settle(self, output: Output) -> None:
        """Make the executions of the current child final, each with its output."""
        for position, execution in enumerate(self._here):
            printed = output.of(position + 1)
            if printed:
                execution = dataclasses.replace(execution, output=printed)
            self._settled[self.given[position].case] = execution
        self._here = []

    def end_call(self, judgement: Judgement, seconds: float, output: Output) -> None:
        """Record how the current call ended and skip the rest of its requirement.

        Afterwards `given` are the calls that remain for another child.
        """
        position = min(len(self._here), len(self.given) - 1)
        if position < 0:
            return
        call, rest = self.given[position], self.given[position + 1 :]
        del self._here[position:]
        self.add(Execution(judgement.outcome, None, judgement.failure, seconds=seconds))
        self._settle(output)
        why = Failure("after", facts={"case": call.case, "outcome": str(judgement.outcome)})
        left = [*rest, *self._later]
        self._record([c for c in left if c.requirement == call.requirement], Outcome.NOT_RUN, why)
        self.given = [c for c in rest if c.requirement != call.requirement]
        self._later = [c for c in self._later if c.requirement != call.requirement]

    def leave_out(self, why: Failure) -> None:
        """Record that the remaining calls are not run; `why` is their failure."""
        self._record([*self.given, *self._later], Outcome.NOT_RUN, why)
        self.given, self._later = [], []

    def fail(self, judgement: Judgement) -> None:
        """Record that each call of the current child failed alike."""
        self._here = []
        self._record(self.given, judgement.outcome, judgement.failure)
        self.given = []

    def _record(self, calls: Sequence[Call], outcome: Outcome, why: Failure) -> None:
        for call in calls:
            self._settled[call.case] = Execution(outcome, None, why)
