"""No word of a child can end the grader or pass a wrong submission, whatever stands in its frames.

A child answers wrongly, raises, is refused or gives warnings; one field of its frame, at any depth,
is replaced by arbitrary JSON. The whole way of the facts is taken, up to every format.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_problem import PAIR, SmallProblem, problem_of, right, says

from grader import formats, grading, redaction
from grader.child import answers, protocol
from grader.model import Outlook, Report, ReturnedValue, Returns, Submission
from grader.runners.endings import Ending
from grader.runners.inprocess import InProcessRunner
from grader.runners.supervision import Supervision

from .test_protocol import END, HELLO, READY
from .test_supervision import ScriptedChild

NASTY: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, 7, 13, 2**31 - 1, 2**31, 2**64, 10**400,
    float("nan"), float("inf"), -0.5, 0.0, 1e308, "", "x", "float64", "float32", ">f8", "float128",
    "<f8", "|O8", "##[add-mask]x", "f8,f8", "none", "tuple", "\x1b[2J", "\ud800", "{detail.x}",
    [], {}, [[]], [1, 0], [0, 2**31], ["single"], {"": None}, {"seconds": 1.0},
)  # fmt: skip
json = st.recursive(
    st.sampled_from(NASTY) | st.integers() | st.floats() | st.text(st.characters(), max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)

NUMBERS = np.zeros(3).tobytes() + np.float64(7.0).tobytes()
WARNING = ["UserWarning", "careful", 0, 1]
FRAMES: dict[str, tuple[int, Any, bytes]] = {
    "wrong numbers": (
        protocol.RETURNED,
        [
            "tuple",
            "tuple",
            [
                ["numpy.ndarray", "float64", None, "<f8", [3]],
                ["numpy.float64", "float64", None, "<f8", []],
            ],
            [],
            0.25,
            [0],
            [["read_as_array", "list", ""], ["unmasked", "", ""], ["cut", 70, ""]],
            [WARNING],
        ],
        NUMBERS,
    ),
    "no arrays": (
        protocol.RETURNED,
        [
            "dictionary",
            "dict",
            [
                ["NoneType", "", ["none", "", ""], "", []],
                ["numpy.ndarray", "", ["axes", 9, ""], "", []],
                ["list", "", ["object", "Thing", "list"], "", []],
            ],
            ["twice", "total", "more"],
            0.25,
            [],
            [],
            [],
        ],
        b"",
    ),
    "an exception": (
        protocol.RAISED,
        {
            "type": "ValueError",
            "message": "no",
            "frames": [[0, 1, "double"]],
            "errno": 13,
            "memory": False,
            "missing": "scipy",
            "seconds": 0.25,
        },
        b"",
    ),
    "a refusal": (
        protocol.REFUSED,
        {
            "kind": "syntax",
            "type": "SyntaxError",
            "message": "no",
            "frames": [],
            "file": 0,
            "line": 1,
            "column": 3,
            "defined": ["doubel"],
            "found": "",
        },
        b"",
    ),
    "warnings while loading": (protocol.READY, {"warnings": [WARNING]}, b""),
}


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every field of a meta, the whole included."""
    yield at
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*at, key))


def replaced(meta: Any, at: tuple[Any, ...], by: Any) -> Any:
    """Return the meta with the field at a path replaced."""
    if not at:
        return by
    changed = copy.deepcopy(meta)
    inner = changed
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = by
    return changed


def problem(**options: Any) -> SmallProblem:
    requirements = says("shapes", checks="structure"), says("kind", checks="dtype")
    returns = Returns("tuple", (ReturnedValue("twice", ("row",), "float64"), PAIR.values[1]))
    promised = problem_of(*requirements, returns=returns, cases=1, **options)
    return SmallProblem(grading.prepare(promised, right))


SMALL = problem(hidden=("shapes1",))
SUBMISSION = Submission("rows.py", b"def double(x):\n    return 0 * x, 7.0\n")


def graded(frame: str, meta: Any) -> Report:
    """Grade a submission whose children send a frame with this meta where it fits."""
    kind, _, payload = FRAMES[frame]
    sent = protocol.encode_frame(kind, 0, meta, [payload])
    _, wrong, numbers = FRAMES["wrong numbers"]
    return report_of({
        protocol.RETURNED: [HELLO, READY, sent, END],
        protocol.RAISED: [HELLO, READY, sent, END],
        protocol.REFUSED: [HELLO, sent],
        protocol.READY: [HELLO, sent, returned(wrong, numbers), END],
    }[kind])  # fmt: skip


def returned(meta: Any, payload: bytes) -> bytes:
    return protocol.encode_frame(protocol.RETURNED, 0, meta, [payload])


def report_of(conversation: list[bytes]) -> Report:
    """Grade a submission whose every child sends these frames."""
    job = grading.job_of(SMALL.prepared, SUBMISSION)
    supervision = Supervision(
        lambda _request, _marker: ScriptedChild([b"".join(conversation), None, None], Ending(0)),
        job,
    )
    while not supervision.advance(1.0):
        continue
    return grading.report(SMALL.prepared, supervision.run, "rows.py", InProcessRunner())


def check(frame: str, at: tuple[Any, ...], by: Any) -> None:
    """Check that the submission fails and that every format can show it."""
    report = graded(frame, replaced(FRAMES[frame][1], at, by))
    assert report.verdict in (Outlook.FAILED, Outlook.ERRORED), (at, by)
    if not is_refused(report):
        for shown in (report, redaction.hide(report)):
            for name in formats.FORMATS:
                formats.render(name, [shown]).encode("utf-8")


def is_refused(report: Report) -> bool:
    """Return whether the frame was refused, so that nothing of it is in the report."""
    failures = [c.execution.failure for r in report.requirements for c in r.cases]
    failures.append(report.refusal.failure if report.refusal else None)
    return "protocol" in [failure.kind for failure in failures if failure]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_nasty_word_in_any_field_fails_the_submission_and_nothing_else(frame: str) -> None:
    for at in places(FRAMES[frame][1]):
        for word in NASTY:
            check(frame, at, word)


@pytest.mark.parametrize("frame", FRAMES)
@given(data=st.data())
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_json_in_any_field_fails_the_submission_and_nothing_else(
    frame: str, data: st.DataObject
) -> None:
    at = data.draw(st.sampled_from(list(places(FRAMES[frame][1]))))
    check(frame, at, data.draw(json))


@pytest.mark.parametrize("frame", FRAMES)
def test_the_frames_that_are_changed_are_understood(frame: str) -> None:
    """Otherwise every change of them would be refused for the same reason."""
    assert not is_refused(graded(frame, FRAMES[frame][1]))


def test_every_name_of_a_dtype_is_known() -> None:
    for code in "?bBhHiIlLqQefdgFDG":
        for dtype in (np.dtype(code), np.dtype(code).newbyteorder()):
            (value,) = answers.read(np.zeros(2, dtype), single=True)[0].values
            assert value.array is not None
            assert answers.dtypes()[value.dtype] == (dtype.name, value.array.dtype)


@pytest.mark.parametrize("text", ["float64", ">f8", "float32", "float128"])
def test_a_promised_element_type_is_that_of_the_array_that_came(text: str) -> None:
    (call,) = (call for call in SMALL.prepared.calls if call.case == "kind1")
    twice, total = right(call.arguments[0])
    values = [
        ["numpy.ndarray", text, None, "<f4", [3]],
        ["numpy.float64", "float64", None, "<f8", []],
    ]
    meta = ["tuple", "tuple", values, [], 0.25, [], [], []]
    payload = np.float32(twice).tobytes() + np.float64(total).tobytes()
    mismatch = (
        report_of([HELLO, READY, returned(meta, payload), END]).requirements[1].cases[0].mismatch
    )
    assert mismatch is not None
    assert (mismatch.kind, mismatch.facts["got"]) == ("dtype", "float32")
