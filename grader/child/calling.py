"""Call the entry point once and record the answer, its warnings and the changed arguments.

Every runner calls learner code through `call`, so all of them record the same facts.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import answers, protocol

_ndarray = np.ndarray
_now = time.perf_counter


class ChildWarning(NamedTuple):
    """A warning, and the number of the learner's file and the line that gave it.

    `file` is None and `line` 0 when other code gave the warning.
    """

    category: str
    text: str
    file: int | None
    line: int


class Called(NamedTuple):
    """The result of a call: `answer` or `error` is set. `seconds` is wall-clock time."""

    seconds: float
    answer: answers.Answer | None = None
    notes: Sequence[answers.Remark] = ()
    changed: Sequence[int] = ()
    """positions, from 0, of the arguments that were changed in place"""
    warnings: Sequence[ChildWarning] = ()
    error: BaseException | None = None


def call(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    single: bool,
    collector: Collector,
    restore: Callable[[], None] = lambda: None,
) -> Called:
    """Call `function` and return its answer or its exception; BaseException is caught too.

    `single` is true when the problem promises one value. `restore` runs before the answer is read.
    """
    collector.found.clear()
    started = _now()
    try:
        before = _bytes_of(arguments)
        started = _now()
        result = function(*arguments)
        seconds = _now() - started
        restore()
        answer, notes = answers.read(result, single)
    except BaseException as error:  # also SystemExit, KeyboardInterrupt, GeneratorExit
        return Called(_now() - started, error=error)
    changed = [n for n, was in before.items() if arguments[n].tobytes() != was]
    return Called(seconds, answer, notes, changed, tuple(collector.found))


def _bytes_of(arguments: Sequence[Any]) -> dict[int, bytes]:
    """Return the bytes of each array by position; an array passed twice has its first position."""
    first: dict[int, int] = {}
    for position, argument in enumerate(arguments):
        if type(argument) is _ndarray:
            first.setdefault(id(argument), position)
    return {position: arguments[position].tobytes() for position in first.values()}


class Collector:
    """Collects warnings instead of printing them: each one once, at most `WARNINGS_LIMIT`."""

    def __init__(self) -> None:
        self.found: list[ChildWarning] = []
        self.files: Mapping[str, int] = {}
        """path in the code objects of a learner's file -> number of the file"""

    def install(self) -> None:
        """Replace `warnings.showwarning`; `warnings.catch_warnings` restores it."""
        warnings.resetwarnings()
        warnings.simplefilter("default")
        for kind in (PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        vars(warnings)["showwarning"] = self._show

    def _show(
        self, message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any
    ) -> None:
        file = self.files.get(filename)
        name = str(category.__name__)[: protocol.NAME_LIMIT]
        text = str(message)[: protocol.WARNING_LIMIT]
        is_line = file is not None and type(lineno) is int and 0 < lineno < protocol.AXIS_LIMIT
        warned = ChildWarning(name, text, file, lineno if is_line else 0)
        if warned not in self.found and len(self.found) < protocol.WARNINGS_LIMIT:
            self.found.append(warned)


collector = Collector()
"""the collector of a child; the `inprocess` runner makes its own"""
