"""Make calls in the grader's own process.

`execute` calls trusted implementations, `observe` a function object that a learner defined in this
process. `InProcessRunner` runs a learner's file and exists for tests; grading uses the runners
`process` and `zygote`.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import linecache
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from grader.child import answers, calling, learner, protocol
from grader.model import (
    Answer,
    Call,
    Execution,
    Failure,
    Frame,
    Job,
    Outcome,
    Remark,
    Returns,
    Run,
    Submission,
    Value,
)
from grader.runners.endings import Sources, of_exception, refusal_of_facts
from grader.runners.frames import read_facts
from grader.runners.output import printed

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from grader.errors import MachineError

_now = time.perf_counter
_ndarray = np.ndarray


def execute(
    implementation: Callable[..., Any], returns: Returns, calls: Sequence[Call]
) -> dict[str, Execution]:
    """Call a trusted implementation once for each call; return the executions by case id.

    Each call gets fresh copies of its arguments; an object passed twice is passed twice as one
    copy. Warnings are ignored. An `Exception` becomes a failure; other exceptions are raised.
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
    """Loads a submission into the grader's process and calls it: for tests only."""

    name = "inprocess"
    confines = False
    isolation: tuple[str, ...] = ()

    def __init__(self, _jobs: int = 1, _spare: int = 0) -> None:
        self._finished: dict[int, Run | MachineError] = {}
        self._tickets = 0

    def submit(self, job: Job) -> int:
        """Run a submission and return its ticket."""
        self._tickets += 1
        self._finished[self._tickets] = self.run(job)
        return self._tickets

    def wait(
        self, timeout: float, beside: Connection | None = None
    ) -> dict[int, Run | MachineError]:
        """Return the finished runs; if there are none, wait until `beside` is readable."""
        if beside and not self._finished:
            beside.poll(timeout)
        finished, self._finished = self._finished, {}
        return finished

    @property
    def room(self) -> bool:
        """Whether no finished run is left to `wait` for."""
        return not self._finished

    def run(self, job: Job) -> Run:
        """Run the job without limits; a crash of learner code ends the grader."""
        began = _now()
        with _imports_kept(), _Observer(job.submission).watching() as observer:
            with _captured() as captured:
                function, refused = learner.entry_point(observer.files, job.entry_point)
            if refused.get("type") == "KeyboardInterrupt":
                raise KeyboardInterrupt  # the user's, since learner code runs in this process
            if function is None:
                facts, output = read_facts(refused), _printed(captured)
                refusal = refusal_of_facts(facts, observer.sources, job.entry_point, False, output)
                return Run({}, refusal, seconds=_now() - began)
            warned = observer.sources.warnings(observer.collector.found)
            executions = observer.executions(function, job.returns, job.calls)
        return Run(executions, None, warned, _now() - began)

    def close(self) -> None:
        """Do nothing: there are no resources to free."""

    def __enter__(self) -> InProcessRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def observe(
    function: Callable[..., Any], returns: Returns, calls: Sequence[Call]
) -> dict[str, Execution]:
    """Call a learner's function once for each call; return the executions by case id.

    An execution has the same facts as one of a learner's file: output, warnings, changed
    arguments, frames. KeyboardInterrupt is raised.
    """
    with _Observer(_submission_of(function)).watching() as observer:
        return observer.executions(function, returns, calls)


def _submission_of(function: Callable[..., Any]) -> Submission:
    """Return the file or notebook cell that defines a function, as a submission."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(inspect.unwrap(function), "__code__", None)
    code = code or getattr(type(function).__call__, "__code__", None)
    path = code.co_filename if code else ""
    return Submission(path, "".join(linecache.getlines(path)).encode("utf-8", "replace"))


_NUMPY_DEFAULTS: Any = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


class _Observer:
    """Calls a learner's code here and tells of it as the grader does of a child's frames."""

    def __init__(self, submission: Submission) -> None:
        self.files = learner.LearnerFiles(submission.name, submission.source, submission.helpers)
        self.sources = Sources(submission)
        self.collector = calling.Collector()

    @contextlib.contextmanager
    def watching(self) -> Iterator[_Observer]:
        """Collect warnings as a child's process does."""
        self.collector.files = self.files.numbers
        with warnings.catch_warnings(), np.errstate(**_NUMPY_DEFAULTS):
            self.collector.install()
            yield self

    def executions(
        self, function: Callable[..., Any], returns: Returns, calls: Sequence[Call]
    ) -> dict[str, Execution]:
        """Return the executions by case id, each with its output."""
        single = returns.container == "single"
        return {call.case: self._execution(function, call, single) for call in calls}

    def _execution(self, function: Callable[..., Any], call: Call, single: bool) -> Execution:
        arguments = _fresh(call.arguments)
        with _captured() as captured:
            called = calling.call(function, arguments, single, self.collector)
        output = _printed(captured)
        if called.error is None:
            return Execution(
                Outcome.RETURNED,
                called.answer,
                output=output,
                seconds=called.seconds,
                notes=tuple(called.notes),
                changed=tuple(called.changed),
                warnings=self.sources.warnings(called.warnings),
            )
        if isinstance(called.error, KeyboardInterrupt):
            raise called.error
        facts = read_facts(learner.failure(called.error, self.files))
        outcome, failure = of_exception(facts, self.sources, confined=False, loading=False)
        return Execution(outcome, None, failure, output, called.seconds)


@contextlib.contextmanager
def _captured() -> Iterator[io.StringIO]:
    with contextlib.ExitStack() as stack:
        printed = io.StringIO()
        stack.enter_context(contextlib.redirect_stdout(printed))
        stack.enter_context(contextlib.redirect_stderr(printed))
        yield printed


def _printed(captured: io.StringIO) -> str:
    return printed(captured.getvalue().encode("utf-8", "replace"))


@contextlib.contextmanager
def _imports_kept() -> Iterator[None]:
    """Remove the submission's modules and finder from `sys` afterwards."""
    modules, finders = set(sys.modules), list(sys.meta_path)
    try:
        yield
    finally:
        sys.meta_path[:] = finders
        for name in set(sys.modules) - modules:
            if isinstance(getattr(sys.modules[name], "__loader__", None), learner.Loader):
                del sys.modules[name]


def _fresh(arguments: tuple[Any, ...]) -> list[Any]:
    """Return copies of arrays, lists and dictionaries; an object passed twice has one copy."""
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


def _answer(result: Any, single: bool) -> tuple[Answer, tuple[Remark, ...]]:
    if type(result) is tuple and not single:
        values = [_plain(item) for item in result[: protocol.VALUES_LIMIT]]
        if all(values):
            return Answer("tuple", "tuple", cast(tuple[Value, ...], tuple(values))), ()
    elif single and (value := _plain(result)):
        return Answer("single", value.type_name, (value,)), ()
    answer, notes = answers.read(result, single)
    return answer, tuple(notes)


def _plain(value: Any) -> Value | None:
    """Return the value of an ordinary array; None for an object that `answers.read` must read."""
    if type(value) is _ndarray and value.ndim <= protocol.AXES_LIMIT:
        name = answers.NAMES.get(value.dtype)
        if name is not None:
            return Value("numpy.ndarray", value.copy(), name)
    return None


def _failure(error: Exception) -> Failure:
    """Return the exception with its frames in the implementation's own file."""
    frames = []
    trace = error.__traceback__.tb_next if error.__traceback__ else None
    home = trace.tb_frame.f_code.co_filename if trace else ""
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == home:
            frames.append(_frame(code, trace.tb_lineno))
        trace = trace.tb_next
    return Failure(
        "exception",
        type(error).__name__,
        str(error)[: protocol.MESSAGE_LIMIT],
        tuple(frames[-protocol.FRAMES_LIMIT :]),
    )


def _frame(code: types.CodeType, line: int) -> Frame:
    text = linecache.getline(code.co_filename, line).strip()
    return Frame(code.co_filename, line, code.co_name, text)
