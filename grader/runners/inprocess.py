"""The runner for trusted code: a call in this process. Never for what a learner wrote."""

from __future__ import annotations

import contextlib
import io
import linecache
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import numpy as np

from grader.child import answers, learner, protocol
from grader.model import (
    Answer,
    Call,
    Execution,
    Failure,
    Frame,
    Job,
    Outcome,
    Refusal,
    Returns,
    Run,
    Value,
)

_now = time.perf_counter
_ndarray = np.ndarray


def execute(
    implementation: Callable[..., Any], returns: Returns, calls: Sequence[Call]
) -> dict[str, Execution]:
    """Return what a trusted callable did with each call, by case id.

    Each call has fresh copies of its arguments; an object that stands at several places is one
    object for the implementation too. Warnings are silenced; exceptions become failures.
    """
    single = returns.container == "single"
    executions: dict[str, Execution] = {}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for call in calls:
            arguments = _fresh(call.arguments)
            started = _now()
            try:
                result = implementation(*arguments)
                seconds = _now() - started
                answer, notes = _answer(result, single)
            except Exception as error:
                outcome = Outcome.MEMORY if isinstance(error, MemoryError) else Outcome.RAISED
                seconds = _now() - started
                executions[call.case] = Execution(outcome, None, _failure(error), "", seconds)
            else:
                executions[call.case] = Execution(
                    Outcome.RETURNED, answer, None, "", seconds, notes
                )
    return executions


class InProcessRunner:
    """Loads a submission into this process and calls it: for tests of ours only."""

    name = "inprocess"
    confines = False
    isolation: tuple[str, ...] = ()

    def run(self, job: Job) -> Run:
        """Return what happened; limits do not hold here, and the end of the process is ours."""
        began = _now()
        printed = io.StringIO()
        files = learner.LearnerFiles(
            job.submission.name, job.submission.source, job.submission.helpers
        )
        with (
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
            _imports_kept(),
        ):
            try:
                module = learner.load(files)
            except Exception as error:
                refusal = Refusal("import", f"{type(error).__name__}: {error}")
                return Run({}, refusal, seconds=_now() - began)
            function = vars(module).get(job.entry_point)
            if not callable(function):
                refusal = Refusal("missing", f"the file does not define {job.entry_point}")
                return Run({}, refusal, seconds=_now() - began)
            executions = execute(function, job.returns, job.calls)
        return Run(executions, seconds=_now() - began)

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> InProcessRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def _imports_kept() -> Iterator[None]:
    """Forget afterwards which of the submission's modules were imported."""
    modules, finders = set(sys.modules), list(sys.meta_path)
    try:
        yield
    finally:
        sys.meta_path[:] = finders
        for name in set(sys.modules) - modules:
            if isinstance(getattr(sys.modules[name], "__loader__", None), learner.Loader):
                del sys.modules[name]


def _fresh(arguments: tuple[Any, ...]) -> list[Any]:
    """Return copies of the arrays (and nested containers), keeping what is one object one."""
    fresh = [
        item.copy() if type(item) is _ndarray else _copied(item) if type(item) in _NESTED else item
        for item in arguments
    ]
    if len(set(map(id, arguments))) < len(arguments):
        first: dict[int, int] = {}
        for position, item in enumerate(arguments):
            fresh[position] = fresh[first.setdefault(id(item), position)]
    return fresh


_NESTED = (list, dict)


def _copied(item: Any) -> Any:
    if type(item) is list:
        return [_copied(part) for part in item]
    if type(item) is dict:
        return {key: _copied(part) for key, part in item.items()}
    return item.copy() if type(item) is _ndarray else item


def _answer(result: Any, single: bool) -> tuple[Answer, tuple[str, ...]]:
    if type(result) is tuple and not single:
        values = [_plain(item) for item in result[: protocol.VALUES_LIMIT]]
        if all(values):
            return Answer("tuple", "tuple", cast(tuple[Value, ...], tuple(values))), ()
    elif single and (value := _plain(result)):
        return Answer("single", value.type_name, (value,)), ()
    answer, notes = answers.read(result, single)
    return answer, tuple(notes)


def _plain(value: Any) -> Value | None:
    """Return the value of an ordinary array at once; the rest is `answers.read`'s."""
    if type(value) is _ndarray and value.ndim <= protocol.AXES_LIMIT:
        name = answers.NAMES.get(value.dtype)
        if name is not None:
            return Value("numpy.ndarray", value.copy(), name)
    return None


def _failure(error: Exception) -> Failure:
    """Return the exception with the frames below this module's own call."""
    frames = []
    trace = error.__traceback__.tb_next if error.__traceback__ else None
    home = trace.tb_frame.f_code.co_filename if trace else ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == home:
            frames.append(_frame(code, trace.tb_lineno))
        trace = trace.tb_next
    return Failure(
        type(error).__name__,
        str(error)[: protocol.MESSAGE_LIMIT],
        tuple(frames[-protocol.FRAMES_LIMIT :]),
    )


def _frame(code: types.CodeType, line: int) -> Frame:
    text = linecache.getline(code.co_filename, line).strip()
    return Frame(code.co_filename, line, code.co_name, text)
