"""Hidden calls get children of their own, and nothing of these but verdicts can be told."""

from __future__ import annotations

import numpy as np
import pytest

from grader.model import Call, Job, Limits, Outcome, Run
from grader.runners import Runner
from grader.runners.supervision import Supervision

from .conftest import HONEST, ONE, PATIENT, submission
from .test_submissions import arrays, outcomes
from .test_supervision import ScriptedChild

SECRET = 8675309.25


def call(name: str, hidden: bool = False, requirement: str = "") -> Call:
    """Return a call with one row; the row of a hidden call begins with `SECRET`."""
    first = SECRET if hidden else 1.0
    return Call(name, requirement or name, (np.array([[first, 2.0]]),), hidden)


def job(source: str, *calls: Call, limits: Limits = PATIENT) -> Job:
    return Job(submission(source), "f", ONE, calls, limits)


BOTH = (call("hidden", hidden=True), call("visible"))

SEARCH = """
    import gc, mmap, os, struct, sys

    BACKWARDS = struct.pack(">d", 8675309 + 0.25)

    def frames():
        frame = sys._getframe()
        while frame:
            yield frame
            frame = frame.f_back

    def everything():
        for frame in frames():
            yield from frame.f_locals.values()
            yield from frame.f_globals.values()
        yield from gc.get_objects()

    def bytes_of(value):
        fields = value if isinstance(value, tuple) else [value]
        for field in fields:
            if type(field) in (bytes, bytearray, memoryview, mmap.mmap):
                yield bytes(field[: 2**22])

    def found():
        return any(BACKWARDS[::-1] in data for value in everything() for data in bytes_of(value))

"""
"""looks for the bytes of `SECRET` in every object that Python knows"""


def test_the_search_finds_a_number_that_is_in_the_request(runner: Runner) -> None:
    source = SEARCH + "    def f(X):\n        assert found()\n        return X * 2\n"
    assert outcomes(runner.run(job(source, call("hidden", hidden=True)))) == ["returned"]


def test_a_child_of_visible_calls_has_no_hidden_input(runner: Runner) -> None:
    source = (
        SEARCH
        + """
    at_import = found()
    def f(X):
        print(at_import, found())
        return X
    """
    )
    run = runner.run(job(source, *BOTH))
    assert run.executions["visible"].output == "False False\n"
    assert run.executions["hidden"].output == "True True\n"


def test_hidden_calls_run_in_a_fresh_process_after_the_visible_ones(runner: Runner) -> None:
    source = """
        seen = []
        def f(X):
            seen.append(float(X[0, 0]))
            print(seen)
            return X
        """
    run = runner.run(job(source, *BOTH, call("visible-2"), call("hidden-2", hidden=True)))
    printed = {name: execution.output for name, execution in run.executions.items()}
    assert printed == {
        "hidden": f"[{SECRET}]\n",
        "visible": "[1.0]\n",
        "visible-2": "[1.0, 1.0]\n",
        "hidden-2": f"[{SECRET}, {SECRET}]\n",
    }
    assert list(run.executions) == ["hidden", "visible", "visible-2", "hidden-2"]


def test_hidden_and_visible_calls_return_their_arrays(runner: Runner) -> None:
    run = runner.run(job(HONEST, *BOTH))
    assert [array[0, 0] for array in arrays(run)] == [2 * SECRET, 2.0]


ENDINGS = {
    "raises": "raise ValueError('at import')",
    "exits": "os._exit(3)",
    "is not there": "del f",
    "never ends": "while True: pass",
    "floods": "while True: print('x' * 4096)",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_does_not_load_for_hidden_calls_fails_all_of_them(
    runner: Runner, ending: str
) -> None:
    """The request of a hidden call holds the secret, by which the file knows its process."""
    source = SEARCH + f"    f = lambda X: X * 2\n    if found():\n        {ENDINGS[ending]}\n"
    limits = Limits(seconds=2.0, import_seconds=3.0, total_seconds=60.0, memory_mb=300)
    calls = (*BOTH, call("hidden-2", hidden=True))
    run = runner.run(job(source, *calls, limits=limits))
    assert run.refusal is None
    assert run.executions["visible"].outcome is Outcome.RETURNED
    for name in ("hidden", "hidden-2"):
        assert run.executions[name].outcome not in (Outcome.RETURNED, Outcome.NOT_RUN), ending


def test_a_file_with_hidden_calls_only_is_loaded_first_without_them(runner: Runner) -> None:
    """Its refusal has a text and an output that learners see."""
    source = SEARCH + "    print('found', found())\n    raise ValueError(found())\n"
    run = runner.run(job(source, call("hidden", hidden=True)))
    assert run.refusal is not None
    assert run.refusal.output == "found False\n"
    assert run.refusal.failure.message == "False"


def test_a_warning_while_loading_for_hidden_calls_is_not_kept(runner: Runner) -> None:
    source = (
        SEARCH
        + "    import warnings\n    if found():\n        warnings.warn('it is here')\n"
        + "    def f(X):\n        return X\n"
    )
    assert runner.run(job(source, *BOTH)).warnings == ()


def test_loading_for_hidden_calls_is_not_charged(runner: Runner) -> None:
    source = "import time\ntime.sleep(1.2)\n" + HONEST
    limits = Limits(seconds=1.0, import_seconds=10.0, total_seconds=2.0, memory_mb=300)
    assert outcomes(runner.run(job(source, *BOTH, limits=limits))) == ["returned", "returned"]


def test_a_timeout_of_a_visible_call_skips_the_hidden_ones_of_its_requirement(
    runner: Runner,
) -> None:
    source = "def f(X):\n    while X[0, 0] < 9:\n        pass\n    return X\n"
    calls = [
        call("hidden", hidden=True, requirement="slow"),
        call("visible", requirement="slow"),
        call("hidden-2", hidden=True),
    ]
    limits = Limits(seconds=0.5, import_seconds=30.0, total_seconds=60.0, memory_mb=300)
    run = runner.run(job(source, *calls, limits=limits))
    assert outcomes(run) == ["not_run", "timed_out", "returned"]


def test_a_job_without_hidden_calls_has_one_child() -> None:
    from grader.runners.endings import Ending

    from .test_protocol import END, HELLO, READY
    from .test_supervision import RAISED

    started: list[bytes] = []

    def start(request: bytes, _marker: str) -> ScriptedChild:
        started.append(request)
        return ScriptedChild([HELLO + READY + RAISED + END], Ending(0))

    supervision = Supervision(start, job(HONEST, call("visible")))
    while not supervision.advance(1.0):
        continue
    assert len(started) == 1


def test_a_call_takes_no_longer_than_its_child_lived(runner: Runner) -> None:
    source = """
        import sys
        def f(X):
            calling = sys._getframe(1).f_globals
            calling["_now"] = lambda: 0.0
            calling["_now"] = iter([1e5, 1e5]).__next__
            return X
        """
    run = runner.run(job(source, call("visible")))
    assert seconds_of(run) < 60


def seconds_of(run: Run) -> float:
    return sum(execution.seconds for execution in run.executions.values())
