"""One call of an entry point: its answer, time, notes, warnings and changed arguments."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from grader.child import protocol
from grader.child.answers import Remark
from grader.child.calling import ChildWarning, Collector, call


@pytest.fixture
def collector() -> Iterator[Collector]:
    with warnings.catch_warnings():
        made = Collector()
        made.install()
        yield made


def test_changed_arguments_are_told_once_by_their_first_position(collector: Collector) -> None:
    one, kept, other = np.ones(2), np.ones(2), np.ones(2)

    def change(a: Any, b: Any, c: Any, d: Any, e: Any) -> Any:
        a += 1
        e += 1
        d.append(1)
        return b

    called = call(change, [one, kept, one, [], other], True, collector)
    assert (called.error, called.changed) == (None, [0, 4])


def test_a_call_has_its_time_notes_and_warnings(collector: Collector) -> None:
    def slow(fails: bool) -> Any:
        time.sleep(0.05)
        warnings.warn("careful", stacklevel=1)
        if fails:
            raise ValueError
        return [1.0, 2.0]

    collector.files = {__file__: 3}
    returned = call(slow, [False], True, collector)
    (given,) = returned.warnings
    assert returned.notes == [Remark("read_as_array", "list")]
    assert given == ChildWarning("UserWarning", "careful", 3, given.line)
    assert given.line > 0
    assert 0.05 <= returned.seconds < 5
    several = call(slow, [False], False, collector)
    assert several.answer is not None
    assert several.answer.container == "list"
    raised = call(slow, [True], True, collector)
    assert isinstance(raised.error, ValueError)
    assert 0.05 <= raised.seconds < 5


def test_warnings_are_told_once_and_cut(collector: Collector) -> None:
    def warn() -> Any:
        for text in ("a", "a", *(f"{i}" * 300 for i in range(9))):
            warnings.warn(text, RuntimeWarning, stacklevel=1)
        for kind in (PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.warn("ignored", kind, stacklevel=1)

    found = call(warn, [], True, collector).warnings
    texts = ["a", *(f"{i}" * protocol.WARNING_LIMIT for i in range(protocol.WARNINGS_LIMIT - 1))]
    assert list(found) == [ChildWarning("RuntimeWarning", text, None, 0) for text in texts]


@pytest.mark.parametrize("kind", [PendingDeprecationWarning, ImportWarning, ResourceWarning])
def test_warnings_for_others_than_the_learner_are_ignored(
    collector: Collector, kind: type[Warning]
) -> None:
    called = call(lambda: warnings.warn("ignored", kind, stacklevel=1), [], True, collector)
    assert called.warnings == ()


def test_a_line_beyond_all_files_is_no_line(collector: Collector) -> None:
    lines = (1, 0, protocol.AXIS_LIMIT)

    def warn() -> Any:
        for line in lines:
            warnings.showwarning(f"at {line}", UserWarning, __file__, line)

    collector.files = {__file__: 3}
    found = call(warn, [], True, collector).warnings
    assert [(warned.file, warned.line) for warned in found] == [(3, 1), (3, 0), (3, 0)]


def test_a_lack_of_memory_before_the_call_is_an_error_with_a_time(collector: Collector) -> None:
    """The bytes of this argument would fill 8 PiB."""
    huge = np.broadcast_to(np.zeros(1), (2**50,))
    called = call(lambda X: X, [huge], True, collector)
    assert isinstance(called.error, MemoryError)
    assert 0 <= called.seconds < 5
