"""The supervision of a child handles frames in the order of arrival, at any timing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from grader.child import protocol
from grader.errors import MachineError
from grader.model import Job, Limits, Run
from grader.runners import Runner
from grader.runners.endings import Ending
from grader.runners.supervision import Supervision

from .conftest import ONE, PATIENT, calls, submission
from .test_protocol import END, HELLO, READY

RAISED = protocol.encode_frame(protocol.RAISED, 0, {"seconds": 0.0})
NONE_CAME = b""
FLOODS = "while True: print('x' * 4096)"


class ScriptedChild:
    """Returns the items of a script one by one, and ends as given."""

    confined = False

    def __init__(self, script: Sequence[bytes | None], ending: Ending) -> None:
        self._script = list(script)
        self._ending = ending

    def receive(self, timeout: float) -> bytes | None:
        return self._script.pop(0)

    def ask_trace(self, timeout: float) -> None:
        raise AssertionError("no deadline passes")

    def output(self) -> bytes:
        return b"said"

    def stop(self) -> Ending:
        return self._ending

    def release(self) -> None:
        assert self._ending.status == 0


def supervise(
    scripts: Sequence[Sequence[bytes | None]], ending: Ending, limits: Limits = PATIENT
) -> Run:
    """Run two calls of one requirement in children that follow the scripts."""
    following = iter(scripts)
    job = Job(submission("as the script says"), "f", ONE, calls(2, "all"), limits)
    supervision = Supervision(lambda _request, _marker: ScriptedChild(next(following), ending), job)
    while not supervision.advance(1.0):
        continue
    return supervision.run


FLOODED = Ending(-9, 10.0, flooded=True)


def test_a_flood_during_a_call_fails_only_that_call() -> None:
    run = supervise([[NONE_CAME, HELLO + READY, RAISED, None]], FLOODED)
    assert run.refusal is None
    assert [e.outcome.value for e in run.executions.values()] == ["raised", "output_limit"]


def test_a_flood_while_loading_refuses_the_file() -> None:
    run = supervise([[NONE_CAME, HELLO, None]], FLOODED)
    assert run.refusal is not None
    assert run.refusal.kind == "output"


def test_a_child_that_ends_before_learner_code_runs_is_a_fault_of_the_machine() -> None:
    with pytest.raises(MachineError, match=r"did not start .*said"):
        supervise([[NONE_CAME, None]], Ending(1))


def test_a_child_that_answered_every_call_is_not_asked_again() -> None:
    second = protocol.encode_frame(protocol.RAISED, 1, {"seconds": 0.0})
    run = supervise([[HELLO, READY + RAISED, second, END]], Ending(0))
    assert [e.outcome.value for e in run.executions.values()] == ["raised", "raised"]


@pytest.mark.parametrize("place", ["at import", "in a call"])
def test_a_flood_has_the_same_outcome_every_time(runner: Runner, place: str) -> None:
    at_import = place == "at import"
    source = f"{FLOODS}\n" if at_import else f"def f(X):\n    {FLOODS}\n"
    job = Job(submission(source), "f", ONE, calls(1), PATIENT)
    for _ in range(8):
        run = runner.run(job)
        told = run.refusal.kind if run.refusal else run.executions["case-0"].outcome.value
        assert told == ("output" if at_import else "output_limit")


def test_a_submission_loses_no_time_to_a_child_that_was_killed() -> None:
    limits = replace(PATIENT, seconds=60.0, total_seconds=20.0)
    killed_one: list[bytes | None] = [HELLO + READY, NONE_CAME, None]
    other: list[bytes | None] = [HELLO + READY, NONE_CAME]
    scripts = iter([killed_one, other])
    job = Job(submission("as the script says"), "f", ONE, calls(2), limits)
    killed = Ending(-9, 10.0)
    supervision = Supervision(lambda _request, _marker: ScriptedChild(next(scripts), killed), job)
    supervision.advance(1.0)
    time.sleep(0.5)  # the first child computes
    supervision.advance(1.0)
    supervision.advance(1.0)
    assert supervision.deadline - time.monotonic() > limits.total_seconds - 0.3
