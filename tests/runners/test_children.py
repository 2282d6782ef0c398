"""The children of one submission: their requests, their deadlines and their ends."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from grader.child import encoding, protocol
from grader.errors import SHORT, MachineError
from grader.model import Call, Execution, Job, Limits, Outcome, Returns, Warned
from grader.runners import supervision
from grader.runners.endings import Ending
from grader.runners.supervision import Supervision, encoded

from .conftest import ONE, TWO, submission
from .test_protocol import END, HELLO, READY, answer, array

LIMITS = Limits(seconds=20.0, import_seconds=300.0, total_seconds=4000.0, memory_mb=123)
"""far apart, so that a deadline tells its limit"""
ROUNDING = 1e-6
NOTHING = b""
GONE = None
LIVED = Ending(0)
CRASHED = Ending(3, 10.0)
KILLED = Ending(-9, 10.0)
EIGHT = np.array([1.5, 2.5]).tobytes()


def raised(index: int, **meta: Any) -> bytes:
    return protocol.encode_frame(protocol.RAISED, index, {"seconds": 0.0} | meta)


def returned(index: int, **changed: Any) -> bytes:
    return answer(index, [array()], EIGHT, container="single", **changed)


def ready(*found: list[Any]) -> bytes:
    return protocol.encode_frame(protocol.READY, 0, {"warnings": found})


def refused(**meta: Any) -> bytes:
    return protocol.encode_frame(protocol.REFUSED, 0, {"kind": "import"} | meta)


LOADED = HELLO + READY
WARNS = ["UserWarning", "careful", 0, 1]
TRACE = (
    b"Current thread 0x00007f0000000000 (most recent call first):\n"
    b'  File "solutions/it.py", line 1 in f\n'
)


@dataclass
class Script:
    """A child that sends the items one by one; a number is a time in which it sends nothing."""

    items: Sequence[bytes | float | None]
    ending: Ending = LIVED
    said: bytes = b"said"
    """its output; `|` stands for the marker between two calls"""
    confined: bool = False
    marker: str = ""
    request: protocol.Request = field(init=False)
    done: list[str] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    def start(self, request: bytes, marker: str) -> Script:
        self.items = list(self.items)
        self.request, self.marker = protocol.decode_request(request), marker
        return self

    def receive(self, timeout: float) -> bytes | None:
        self.waits.append(timeout)
        item = self.items[0]
        self.items = self.items[1:]
        if isinstance(item, float):
            time.sleep(item)
            return b""
        return item

    def ask_trace(self, timeout: float) -> None:
        self.done.append(f"trace in {timeout} s")
        self.said += TRACE

    def output(self) -> bytes:
        return self.said.replace(b"|", f"\0{self.marker}\0".encode())

    def stop(self) -> Ending:
        self.done.append("stopped")
        return self.ending

    def release(self) -> None:
        self.done.append("released")


def call(name: str, requirement: str = "", hidden: bool = False) -> Call:
    return Call(name, requirement or name, (np.array([1.0, 2.0]),), hidden)


A, B, C = call("a"), call("b"), call("c")
HIDDEN, OTHER_HIDDEN = call("h", hidden=True), call("i", hidden=True)


class Supervised:
    """A supervision whose children follow scripts."""

    def __init__(
        self,
        *scripts: Script,
        calls: Sequence[Call] = (A, B, C),
        limits: Limits = LIMITS,
        returns: Returns = ONE,
    ) -> None:
        following = iter(scripts)
        job = Job(submission("its line", helper="x = 1"), "f", returns, calls, limits)
        self.before = time.monotonic()
        self.supervision = Supervision(lambda *given: next(following).start(*given), job)
        self.after = time.monotonic()
        self.lost = self.after - self.before
        """seconds that may have passed before the first child was started"""

    def advance(self) -> bool:
        self.before = time.monotonic()
        is_over = self.supervision.advance(1.0)
        self.after = time.monotonic()
        return is_over

    def allows(self, seconds: float, lost: float = 0.0) -> bool:
        """Return whether the deadline is `seconds` after a time in the last step, less `lost`."""
        deadline = self.supervision.deadline
        earliest, latest = self.before + seconds - lost, self.after + seconds
        return earliest - ROUNDING <= deadline <= latest + ROUNDING

    def executions(self) -> dict[str, Execution]:
        """Return the executions after all children have ended."""
        while not self.advance():
            continue
        assert self.supervision.run.refusal is None
        return dict(self.supervision.run.executions)

    def outcomes(self) -> list[str]:
        return [told(execution) for execution in self.executions().values()]


def told(execution: Execution) -> str:
    """Return the outcome of a call and the kind of its failure."""
    return f"{execution.outcome} {execution.failure.kind if execution.failure else ''}".strip()


ANSWERS = Script([LOADED, returned(0), raised(1), returned(2), END])


# What a child is given


def test_the_request_of_a_child_has_the_job() -> None:
    script = Script([])
    Supervised(script, calls=[A, HIDDEN, B])
    given = script.request
    assert given._replace(payload=memoryview(b""), calls=[]) == protocol.Request(
        name="solutions/it.py",
        source=b"its line",
        helpers={"helper": b"x = 1"},
        entry_point="f",
        single=True,
        marker=script.marker,
        seconds=20.0,
        memory_mb=123,
        cpu_seconds=4001,
        result_budget=protocol.RESULT_BUDGET,
        calls=[],
        payload=memoryview(b""),
    )
    arguments = [encoding.decode_arguments(nodes, given.payload) for nodes in given.calls]
    assert [[argument.tolist() for argument in each] for each in arguments] == [[[1.0, 2.0]]] * 2


def test_the_request_says_whether_one_value_is_promised() -> None:
    script = Script([])
    Supervised(script, returns=TWO)
    assert script.request.single is False


def test_every_child_has_a_marker_of_its_own() -> None:
    scripts = Script([]), Script([])
    for script in scripts:
        Supervised(script)
    assert scripts[0].marker != scripts[1].marker
    assert [len(bytes.fromhex(script.marker)) for script in scripts] == [8, 8]


def test_encoded_calls_are_kept_for_the_next_submission() -> None:
    nine = [[call(f"{i}")] for i in range(9)]
    made = [encoded(each) for each in nine]
    assert [encoded(nine[i]) is made[i] for i in (8, 1, 0)] == [True, True, False]
    arguments = encoding.decode_arguments([["array", "<f8", [2], 0]], memoryview(made[3].payload))
    assert arguments[0].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(("size", "is_kept"), [(8 * 2**20, True), (8 * 2**20 + 1, False)])
def test_large_encoded_calls_are_not_kept(size: int, is_kept: bool) -> None:
    large = [Call("a", "a", (np.zeros(size, "u1"),))]
    assert (encoded(large) is encoded(large)) == is_kept


def test_the_next_child_gets_the_calls_and_the_budget_that_remain() -> None:
    first = Script([LOADED + returned(0), GONE], CRASHED)
    second = Script([LOADED, returned(0), END])
    supervised = Supervised(first, second, calls=[A, call("b", "one"), call("x", "one"), C])
    assert supervised.outcomes() == ["returned", "crashed exit", "not_run after", "returned"]
    assert len(second.request.calls) == 1
    assert second.request.result_budget == protocol.RESULT_BUDGET - 16
    assert second.marker != first.marker


# What a child answers


def test_an_answer_becomes_an_execution_with_all_its_facts() -> None:
    sent = returned(0, seconds=0.0, notes=[["unmasked", "", ""]], changed=[0, 1], warnings=[WARNS])
    script = Script([ready(WARNS) + sent, raised(1, type="E", message="m"), GONE], CRASHED)
    script.items = [HELLO, *script.items]
    script.said = b"loads|first\n|second\n|third\n"
    supervised = Supervised(script)
    first, second, third = supervised.executions().values()
    assert first.answer is not None
    value = first.answer.values[0].array
    assert value is not None
    assert value.tolist() == [1.5, 2.5]
    assert (first.output, first.changed, first.seconds) == ("first\n", (0,), 0.0)
    assert [note.key for note in first.notes] == ["unmasked"]
    warned = (Warned("UserWarning", "careful", 1, ""),)
    assert first.warnings == warned
    assert supervised.supervision.run.warnings == warned
    assert second.failure is not None
    assert (second.outcome, second.answer, second.output) == (Outcome.RAISED, None, "second\n")
    assert (second.failure.kind, second.failure.type_name) == ("exception", "E")
    assert (told(third), third.output, third.seconds) == ("crashed exit", "third\n", 0.0)
    assert script.done == ["stopped"]


def test_a_call_takes_the_time_that_the_child_measured_but_no_more_than_the_child_lived() -> None:
    script = Script(
        [HELLO, 0.1, READY + returned(0, seconds=0.01) + raised(1, seconds=9.0), returned(2), END]
    )
    supervised = Supervised(script)
    first, second, third = supervised.executions().values()
    assert first.seconds == 0.01
    assert 0.1 <= second.seconds < 9.0
    assert 0.1 <= third.seconds <= 0.5
    assert (first.output, second.output, third.output) == ("", "", "")
    assert 0.1 <= supervised.supervision.run.seconds < 60.0


def test_a_child_that_answered_all_calls_is_released() -> None:
    script = Script([LOADED + returned(0) + returned(1) + returned(2) + END])
    script.said = b"|||third"
    supervised = Supervised(script)
    assert supervised.advance() is True
    assert supervised.advance() is True
    assert script.done == ["released"]
    assert supervised.executions()["c"].output == "third"


@pytest.mark.parametrize(
    ("confined", "first"), [(True, "forbidden exception"), (False, "raised exception")]
)
def test_an_error_number_is_a_refused_call_only_in_a_sandbox(confined: bool, first: str) -> None:
    script = Script([LOADED + raised(0, errno=13), returned(1), returned(2), END])
    script.confined = confined
    assert Supervised(script).outcomes() == [first, "returned", "returned"]


def test_a_child_that_ran_out_of_memory_is_replaced_at_once() -> None:
    """What it sends after the exception is not read."""
    hoards = Script([LOADED + raised(0, memory=True, seconds=1e-9) + raised(1), b"unread"])
    hoards.said = b"|hoards"
    calm = Script([LOADED, returned(0), returned(1), END])
    supervised = Supervised(hoards, calm)
    first, *others = supervised.executions().values()
    assert (told(first), first.output, first.seconds) == ("memory exception", "hoards", 1e-9)
    assert list(map(told, others)) == ["returned", "returned"]
    assert hoards.done == ["stopped"]


def test_bytes_that_break_the_protocol_end_the_call() -> None:
    breaks = Script([LOADED, NOTHING, b"X" * 24])
    supervised = Supervised(breaks, Script([LOADED, returned(0), returned(1), END]))
    first, *others = supervised.executions().values()
    assert told(first) == "crashed protocol"
    assert first.failure is not None
    assert first.failure.facts == {"reason": "a frame with a wrong magic"}
    assert list(map(told, others)) == ["returned", "returned"]
    assert breaks.done == ["stopped"]


# Deadlines


def test_a_deadline_is_that_of_what_the_child_does() -> None:
    supervised = Supervised(Script([HELLO, NOTHING, READY, NOTHING, returned(0), NOTHING]))
    assert supervised.allows(60.0)
    for seconds in (300.0, 20.0, 20.0):
        assert supervised.advance() is False
        assert supervised.allows(seconds)


SHORT_IN_ALL = Limits(seconds=20.0, import_seconds=300.0, total_seconds=10.0)


@pytest.mark.parametrize("sent", [[HELLO], [LOADED], [LOADED, returned(0)]])
def test_no_deadline_is_after_that_of_the_submission(sent: list[bytes]) -> None:
    """Time in which the process starts is not charged."""
    supervised = Supervised(Script([0.1, *sent, NOTHING]), limits=SHORT_IN_ALL)
    supervised.advance()
    supervised.advance()
    assert supervised.allows(10.0, supervised.lost)


def test_the_time_of_loading_is_charged() -> None:
    supervised = Supervised(Script([HELLO, NOTHING, 0.1, READY, NOTHING]), limits=SHORT_IN_ALL)
    supervised.advance()
    latest = supervised.after + 10.0
    supervised.advance()
    supervised.advance()
    assert supervised.supervision.deadline <= latest + ROUNDING


def test_the_wait_for_bytes_ends_at_the_deadline() -> None:
    script = Script([LOADED, NOTHING, NOTHING])
    supervised = Supervised(script)
    supervised.advance()
    assert script.waits == [1.0, 0.0]
    deadline, before = supervised.supervision.deadline, time.monotonic()
    supervised.supervision.advance(500.0)
    after = time.monotonic()
    assert deadline - after - ROUNDING <= script.waits[2] <= deadline - before + ROUNDING


def test_no_wait_is_below_0() -> None:
    script = Script([LOADED, NOTHING, NOTHING])
    supervised = Supervised(script, calls=[A], limits=Limits(seconds=0.05))
    supervised.advance()
    time.sleep(0.1)
    assert supervised.executions()["a"].outcome is Outcome.TIMED_OUT
    assert script.waits[-1] == 0.0


def test_a_child_is_silent_since_its_last_frame() -> None:
    supervised = Supervised(Script([NOTHING, HELLO, NOTHING, 0.1, READY, NOTHING]))
    supervised.advance()
    assert supervised.supervision.silent(supervised.after + 5.0) == 0.0
    silent = []
    for _ in range(3):
        supervised.advance()
        silent.append(supervised.supervision.silent(supervised.after))
    longest = supervised.after - supervised.before
    assert silent[0] < silent[1]
    assert silent[1] >= 0.1
    assert 0.0 <= silent[2] <= longest + ROUNDING


def test_a_call_beyond_its_limit_has_timed_out_with_its_stack() -> None:
    slow = Script([LOADED, 0.1, NOTHING], said=b"|slow\n")
    limits = Limits(seconds=0.05, import_seconds=300.0, total_seconds=4000.0)
    supervised = Supervised(slow, Script([LOADED + returned(0) + returned(1) + END]), limits=limits)
    first, *others = supervised.executions().values()
    assert first.failure is not None
    assert (first.outcome, first.seconds, first.output) == (Outcome.TIMED_OUT, 0.05, "slow\n")
    assert first.failure.facts["seconds"] == 0.05
    assert [(frame.line, frame.text) for frame in first.failure.frames] == [(1, "its line")]
    assert list(map(told, others)) == ["returned", "returned"]
    assert slow.done == ["trace in 0.2 s", "stopped"]


def test_a_file_beyond_the_limit_of_loading_is_refused() -> None:
    script = Script([HELLO, 0.1, NOTHING], said=b"loads")
    supervised = Supervised(script, limits=Limits(import_seconds=0.05))
    while not supervised.advance():
        continue
    run = supervised.supervision.run
    assert run.refusal is not None
    assert (run.refusal.kind, run.refusal.output, run.refusal.line) == ("timeout", "loads", 1)
    assert run.refusal.failure.facts["seconds"] == 0.05
    assert run.refusal.failure.facts["doing"] == "loading"
    assert dict(run.executions) == {}


def test_a_submission_beyond_its_limit_does_not_go_on() -> None:
    slow = Script([LOADED, 0.1, NOTHING])
    limits = Limits(seconds=20.0, total_seconds=0.05)
    first, *others = Supervised(slow, limits=limits, calls=[A, B, HIDDEN]).executions().values()
    assert first.failure is not None
    assert (told(first), first.failure.facts["seconds"]) == ("timed_out timeout", 0.05)
    assert [told(other) for other in others] == ["not_run used_up"] * 2
    assert others[0].failure is not None
    assert others[0].failure.facts == {"seconds": 0.05}


def test_a_child_that_does_not_start_in_time_is_a_fault_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervision, "_START_SECONDS", 0.05)
    script = Script([0.1, NOTHING])
    with pytest.raises(MachineError, match=r"^the learner's process did not start in time$"):
        Supervised(script).executions()
    assert script.done == ["stopped"]


def test_a_child_that_ends_before_its_first_frame_is_a_fault_of_the_machine() -> None:
    script = Script([GONE], CRASHED, said=b"x" * 3000 + b"\xff" + b"y" * 1999)
    with pytest.raises(MachineError) as raised:
        Supervised(script).executions()
    said = "\ufffd" + "y" * 1999
    assert str(raised.value) == f"the learner's process did not start ({CRASHED}): {said}"


# Ends


def test_the_calls_of_a_child_that_was_killed_are_made_again() -> None:
    """Executions of the killed child are forgotten; learners lose no time."""
    killed = [Script([LOADED + raised(0), NOTHING, 0.2, GONE], KILLED) for _ in range(2)]
    again = Script([LOADED, NOTHING, *ANSWERS.items[1:]])
    supervised = Supervised(*killed, again, limits=SHORT_IN_ALL)
    for _ in range(7):
        supervised.advance()
    assert again.waits
    assert supervised.allows(10.0, 0.3)
    assert supervised.outcomes() == ["returned", "raised exception", "returned"]


def test_three_kills_in_a_sandbox_are_a_fault_of_the_machine() -> None:
    killed = [Script([LOADED, GONE], KILLED, confined=True) for _ in range(3)]
    with pytest.raises(MachineError) as raised:
        Supervised(*killed).executions()
    assert str(raised.value) == "the learner's process was killed 3 times"
    assert (raised.value.advice, raised.value.tried) == (SHORT, True)


def test_without_a_sandbox_the_third_kill_is_that_of_the_learner() -> None:
    killed = [Script([LOADED, GONE], KILLED) for _ in range(3)]
    calm = Script([LOADED, returned(0), returned(1), END])
    assert Supervised(*killed, calm).outcomes() == ["crashed signal", "returned", "returned"]


def test_a_killed_child_that_used_its_memory_is_judged() -> None:
    hoards = Script([LOADED, GONE], Ending(-9, LIMITS.memory_mb))
    calm = Script([LOADED, returned(0), returned(1), END])
    assert Supervised(hoards, calm).outcomes() == ["memory memory", "returned", "returned"]


def test_a_child_that_ends_while_loading_refuses_the_file() -> None:
    supervised = Supervised(Script([HELLO, GONE], CRASHED, said=b"loads|"))
    while not supervised.advance():
        continue
    run = supervised.supervision.run
    assert run.refusal is not None
    assert (run.refusal.kind, run.refusal.output) == ("crash", "loads")
    assert run.refusal.failure.facts == {"status": 3}
    assert 0.0 < run.seconds < 60.0
    assert (dict(run.executions), run.warnings) == ({}, ())


def test_a_refusal_of_the_file_has_its_facts_and_output() -> None:
    script = Script([HELLO + refused(kind="missing", defined=["g"])], said=b"loads|")
    supervised = Supervised(script)
    assert supervised.advance() is True
    run = supervised.supervision.run
    assert run.refusal is not None
    assert (run.refusal.kind, run.refusal.output) == ("missing", "loads")
    facts = run.refusal.failure.facts
    assert (facts["entry_point"], facts["defined"]) == ("f", ["g"])
    assert script.done == ["released"]


@pytest.mark.parametrize(("confined", "kind"), [(True, "forbidden"), (False, "import")])
def test_a_refusal_for_a_refused_system_call_needs_a_sandbox(confined: bool, kind: str) -> None:
    frame = refused(errno=13, type="OSError", frames=[[0, 1, "<module>"]])
    supervised = Supervised(Script([HELLO + frame], confined=confined))
    assert supervised.advance() is True
    refusal = supervised.supervision.run.refusal
    assert refusal is not None
    assert (refusal.kind, refusal.text) == (kind, "its line")


@pytest.mark.parametrize(
    ("again", "next_call"),
    [([HELLO + refused()], "not_run not_reloaded"), ([HELLO, GONE], "crashed exit")],
)
def test_a_file_that_does_not_load_again_leaves_out_the_remaining_calls(
    again: list[bytes | None], next_call: str
) -> None:
    scripts = Script([HELLO, ready(WARNS), GONE], CRASHED), Script(again, CRASHED)
    supervised = Supervised(*scripts, calls=[A, B, HIDDEN])
    assert supervised.outcomes() == ["crashed exit", next_call, "not_run not_reloaded"]


# Hidden calls


def test_a_child_of_hidden_calls_loads_for_free() -> None:
    visible = Script([LOADED + returned(0) + END])
    hidden = Script([HELLO, NOTHING, 0.4, ready(WARNS), NOTHING, returned(0), returned(1), END])
    supervised = Supervised(visible, hidden, calls=[HIDDEN, A, OTHER_HIDDEN], limits=SHORT_IN_ALL)
    supervised.advance()
    assert supervised.allows(60.0)
    supervised.advance()
    assert supervised.allows(300.0)
    supervised.advance()
    supervised.advance()
    assert supervised.allows(10.0, 0.3)
    assert supervised.outcomes() == ["returned"] * 3
    assert supervised.supervision.run.warnings == ()
    assert hidden.request.result_budget == protocol.RESULT_BUDGET - 16
    assert len(hidden.request.calls) == 2


def test_a_second_child_of_hidden_calls_is_charged_for_loading() -> None:
    visible = Script([LOADED + returned(0) + END])
    crashes = Script([LOADED, GONE], CRASHED)
    second = Script([HELLO, NOTHING, 0.1, READY, NOTHING, returned(0), END])
    calls = [HIDDEN, A, OTHER_HIDDEN]
    supervised = Supervised(visible, crashes, second, calls=calls, limits=SHORT_IN_ALL)
    for _ in range(3):
        supervised.advance()
    latest = supervised.after + 10.0
    assert supervised.supervision.deadline <= latest + ROUNDING
    supervised.advance()
    supervised.advance()
    assert supervised.supervision.deadline <= latest + ROUNDING
    assert supervised.outcomes() == ["crashed exit", "returned", "returned"]


@pytest.mark.parametrize(
    ("sent", "outcome"),
    [
        ([HELLO + refused()], "raised not_reloaded"),
        ([HELLO, GONE], "crashed exit"),
    ],
)
def test_a_file_that_does_not_load_for_hidden_calls_fails_them(
    sent: list[bytes | None], outcome: str
) -> None:
    visible = Script([LOADED + returned(0) + END])
    hidden = Script(sent, CRASHED)
    supervised = Supervised(visible, hidden, calls=[HIDDEN, A, OTHER_HIDDEN])
    assert supervised.outcomes() == [outcome, "returned", outcome]


def test_a_run_that_is_abandoned_has_no_child() -> None:
    script = Script([LOADED])
    supervised = Supervised(script)
    supervised.supervision.abandon()
    supervised.supervision.abandon()
    assert script.done == ["stopped"]
    assert supervised.advance() is True
