"""The runner for trusted code: copied arguments, silent warnings, exceptions as data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from grader.model import Call, Job, Limits, Outcome
from grader.runners import choose
from grader.runners.inprocess import execute

from .conftest import HONEST, ONE, TWO, calls, submission


def test_each_call_gets_a_copy_of_its_arguments() -> None:
    given = calls(1) * 2

    def spoil(X: Any) -> Any:
        X *= 0
        return X

    before = given[0].arguments[0].copy()
    execute(spoil, ONE, given)
    np.testing.assert_array_equal(given[0].arguments[0], before)


def test_copied_arguments_preserve_object_identity() -> None:
    array = np.ones(2)
    nested = [array]
    seen: list[bool] = []

    def look(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
        seen.extend([a is b, a is c, d is e, a is array, d[0] is array])
        return a

    call = Call("c", "r", (array, array, array.copy(), nested, nested))
    execute(look, ONE, [call])
    assert seen == [True, False, True, False, False]


def test_the_arrays_of_an_answer_share_no_memory() -> None:
    kept: list[Any] = []

    def keep(X: Any) -> Any:
        kept.append(X)
        return X, X

    answer = execute(keep, TWO, calls(1))["case-0"].answer
    assert answer is not None
    first, second = (value.array for value in answer.values)
    assert first is not None
    assert second is not None
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(first, kept[0])


def test_warnings_are_silent_and_numpy_error_state_is_restored() -> None:
    def warn(X: Any) -> Any:
        warnings.warn("loud", stacklevel=1)
        return X / 0.0

    state = np.geterr()
    assert execute(warn, ONE, calls(1))["case-0"].outcome is Outcome.RETURNED
    assert np.geterr() == state


def test_a_failure_has_only_the_implementations_frames() -> None:
    def fail(X: Any) -> Any:
        return np.linalg.inv(X)

    execution = execute(fail, ONE, calls(1))["case-0"]
    assert execution.outcome is Outcome.RAISED
    assert execution.failure is not None
    assert execution.failure.type_name == "LinAlgError"
    (frame,) = execution.failure.frames
    assert (frame.function, frame.text) == ("fail", "return np.linalg.inv(X)")


def test_memory_error_has_the_outcome_memory() -> None:
    def hoard(X: Any) -> Any:
        raise MemoryError

    assert execute(hoard, ONE, calls(1))["case-0"].outcome is Outcome.MEMORY


@pytest.mark.parametrize(
    "result", [[1.0, 2.0], np.float32(1), np.ones((1, 1)).view(np.matrix), None, (1, 2)]
)
def test_answers_equal_those_of_the_process_runner(result: Any) -> None:
    text = f"import numpy as np\ndef f(X):\n    return {_text(result)}\n"
    here = execute(lambda X: result, ONE, calls(1))["case-0"].answer
    runner, _ = choose("process")
    with runner:
        there = runner.run(Job(submission(text), "f", ONE, calls(1), Limits())).executions["case-0"]
    assert here is not None
    assert there.answer is not None
    assert (here.container, here.type_name) == (there.answer.container, there.answer.type_name)
    for one, other in zip(here.values, there.answer.values, strict=True):
        assert (one.type_name, one.dtype, one.why_not) == (
            other.type_name,
            other.dtype,
            other.why_not,
        )
        np.testing.assert_array_equal(one.array, other.array)


def _text(result: Any) -> str:
    return "np.asmatrix([[1.0]])" if type(result) is np.matrix else repr(result)


def test_the_runner_removes_the_submissions_modules() -> None:
    import sys

    runner, _ = choose("inprocess")
    before = set(sys.modules)
    with runner:
        source = "from beside import scale\ndef f(X):\n    return X * scale\n"
        run = runner.run(
            Job(submission(source, beside="scale = 2.0"), "f", ONE, calls(2), Limits())
        )
    assert [e.outcome for e in run.executions.values()] == [Outcome.RETURNED] * 2
    assert set(sys.modules) == before


def test_the_runner_refuses_a_file_that_cannot_be_loaded() -> None:
    runner, _ = choose("inprocess")
    with runner:
        broken = runner.run(Job(submission("import nothing_like_it"), "f", ONE, calls(1), Limits()))
        other = runner.run(Job(submission(HONEST), "g", ONE, calls(1), Limits()))
    assert broken.refusal is not None
    assert broken.refusal.kind == "import"
    assert other.refusal is not None
    assert other.refusal.kind == "missing"
