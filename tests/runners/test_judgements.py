"""From the end of a child, or the facts that it reports, to an outcome and a failure."""

from __future__ import annotations

import errno
import signal
from typing import Any

import pytest

from grader.child import protocol
from grader.child.calling import ChildWarning
from grader.model import Failure, Frame, Outcome, Refusal, Submission, Warned
from grader.runners.endings import (
    Ending,
    Sources,
    cpu_seconds,
    is_foreign_kill,
    of_ending,
    of_exception,
    of_protocol,
    of_timeout,
    refusal_of_ending,
    refusal_of_facts,
)
from grader.runners.frames import Facts
from grader.runners.output import Output, Trace

from .conftest import PATIENT

FILES = Submission(
    "solutions/ït.py",
    b"import helper\r\ndef f(X):\r    return g(X)\n",
    {"helper": b"def g(X):\n\tX / 0  \n" + b"#" * 300},
    beside=frozenset({"lost"}),
)
MAIN, HELPER = "solutions/ït.py", "solutions/helper.py"
IN_MAIN = Frame(MAIN, 3, "f", "return g(X)")
IN_HELPER = Frame(HELPER, 2, "g", "X / 0")
PLACES = ((0, 3, "f"), (7, 1, "elsewhere"), (1, 2, "g"))
STACK = (
    b"said\nCurrent thread 0x00007f0000000000 (most recent call first):\n"
    b'  File "solutions/helper.py", line 2 in g\n'
    b'  File "/usr/lib/python3/elsewhere.py", line 9 in call\n'
    b'  File "solutions/\\xeft.py", line 3 in f\n'
)


@pytest.fixture
def sources() -> Sources:
    return Sources(FILES)


def told(failure: Failure) -> tuple[Any, ...]:
    """Return all that a failure consists of, to be compared."""
    frames = tuple(map(repr, failure.frames))
    return failure.kind, failure.type_name, failure.message, frames, repr(dict(failure.facts))


def shown(refusal: Refusal) -> tuple[Any, ...]:
    return (
        refusal.kind,
        told(refusal.failure),
        (refusal.line, refusal.column, refusal.text, refusal.cell, refusal.output),
    )


def test_files_are_found_by_number_path_and_line(sources: Sources) -> None:
    assert [sources.path(number) for number in (0, 1, 2, None)] == [MAIN, HELPER, "", ""]
    assert [sources.line(MAIN, number) for number in (0, 1, 2, 3, 4, 5)] == [
        "", "import helper", "def f(X):", "    return g(X)", "", "",
    ]  # fmt: skip
    assert sources.line(HELPER, 3) == "#" * 200 + "..."
    assert sources.line(HELPER, 0) == ""
    assert sources.line("solutions/other.py", 1) == ""
    assert sources.beside("lost.inside.it") == "solutions/lost.py"
    assert sources.beside("found") == ""


def test_files_without_a_folder_have_paths_without_one() -> None:
    flat = Sources(Submission("it.py", b"a", {"helper": b"b"}, beside=frozenset({"lost"})))
    assert (flat.path(1), flat.line("helper.py", 1), flat.beside("lost")) == (
        "helper.py",
        "b",
        "lost.py",
    )


def test_warnings_have_lines_only_in_the_learners_files(sources: Sources) -> None:
    found = [ChildWarning("W", "t", file, 2) for file in (0, 1, None, 2)]
    assert [repr(warned) for warned in sources.warnings(found)] == [
        repr(Warned("W", "t", 2)),
        repr(Warned("W", "t", 2, HELPER)),
        repr(Warned("W", "t")),
        repr(Warned("W", "t")),
    ]


EXCEPTIONS = {
    "an exception": (Facts(), True, Outcome.RAISED, {}),
    "no memory": (Facts(memory=True), False, Outcome.MEMORY, {}),
    "a module that is missing": (
        Facts(missing="scipy"),
        False,
        Outcome.RAISED,
        {"missing": "scipy"},
    ),
    "a module beside the file": (
        Facts(missing="lost"),
        False,
        Outcome.RAISED,
        {"missing": "lost", "beside": "solutions/lost.py"},
    ),
    "a refused call": (
        Facts(errno=errno.EACCES, missing="scipy"),
        True,
        Outcome.FORBIDDEN,
        {"errno": errno.EACCES},
    ),
    "the same without a sandbox": (Facts(errno=errno.EACCES), False, Outcome.RAISED, {}),
}


@pytest.mark.parametrize("loading", [True, False])
@pytest.mark.parametrize(
    ("facts", "confined", "outcome", "detail"), EXCEPTIONS.values(), ids=EXCEPTIONS
)
def test_an_exception_is_judged_by_its_facts(
    sources: Sources,
    facts: Facts,
    confined: bool,
    outcome: Outcome,
    detail: dict[str, Any],
    loading: bool,
) -> None:
    given = Facts(
        type_name="E",
        message="m",
        frames=PLACES,
        errno=facts.errno,
        memory=facts.memory,
        missing=facts.missing,
    )
    judged = of_exception(given, sources, confined=confined, loading=loading)
    kind = "loading" if loading else "exception"
    expected = Failure(kind, "E", "m", (IN_MAIN, IN_HELPER), detail)
    assert (judged.outcome, told(judged.failure)) == (outcome, told(expected))


def test_a_timeout_has_the_last_stack_outermost_first(sources: Sources) -> None:
    trace = Trace(Output(STACK, "m").trace.frames, alive=True)
    judged = of_timeout(0.5, trace, sources, doing="loading")
    facts = {"doing": "loading", "seconds": 0.5, "in_python": True}
    expected = Failure("timeout", frames=(IN_MAIN, IN_HELPER), facts=facts)
    assert (judged.outcome, told(judged.failure)) == (Outcome.TIMED_OUT, told(expected))


LIMIT = {"limit_mb": PATIENT.memory_mb}
USED = float(cpu_seconds(PATIENT))
CRASHES: dict[str, tuple[Ending, bytes, Outcome, str, dict[str, Any]]] = {
    "a flood": (
        Ending(0, flooded=True),
        b"MemoryError",
        Outcome.OUTPUT_LIMIT,
        "output",
        {"limit_mb": 1},
    ),
    "an unknown end": (Ending(None, PATIENT.memory_mb), b"", Outcome.CRASHED, "gone", {}),
    "success": (
        Ending(0),
        b"MemoryError",
        Outcome.CRASHED,
        "exit",
        {"status": 0},
    ),
    "success near the limit of memory": (
        Ending(0, PATIENT.memory_mb),
        b"",
        Outcome.CRASHED,
        "exit",
        {"status": 0},
    ),
    "an error": (Ending(3, PATIENT.memory_mb), b"", Outcome.CRASHED, "exit", {"status": 3}),
    "no memory for NumPy": (
        Ending(1),
        b"OpenBLAS error: Memory allocation" + b"." * 4000,
        Outcome.MEMORY,
        "memory",
        LIMIT,
    ),
    "no thread for NumPy": (
        Ending(-signal.SIGSEGV),
        b"OpenBLAS warning: precompiled NUM_THREADS exceeded",
        Outcome.MEMORY,
        "memory",
        LIMIT,
    ),
    "no memory for C++": (
        Ending(-signal.SIGABRT),
        b"std::bad_alloc",
        Outcome.MEMORY,
        "memory",
        LIMIT,
    ),
    "no memory for Python": (
        Ending(1),
        b"MemoryError" + b"." * 4085,
        Outcome.MEMORY,
        "memory",
        LIMIT,
    ),
    "old words about memory": (
        Ending(1),
        b"MemoryError" + b"." * 4086,
        Outcome.CRASHED,
        "exit",
        {"status": 1},
    ),
    "a signal near the limit of memory": (
        Ending(-signal.SIGSEGV, 0.85 * PATIENT.memory_mb),
        b"",
        Outcome.MEMORY,
        "memory",
        LIMIT,
    ),
    "a signal below it": (
        Ending(-signal.SIGSEGV, 0.84 * PATIENT.memory_mb),
        b"",
        Outcome.CRASHED,
        "signal",
        {"signal": "SIGSEGV"},
    ),
    "SIGHUP": (Ending(-1), b"", Outcome.CRASHED, "signal", {"signal": "SIGHUP"}),
    "a signal without a name": (
        Ending(-50),
        b"",
        Outcome.CRASHED,
        "signal",
        {"signal": "signal 50"},
    ),
    "SIGXCPU": (
        Ending(-signal.SIGXCPU),
        b"",
        Outcome.TIMED_OUT,
        "cpu",
        {"seconds": PATIENT.total_seconds},
    ),
    "SIGKILL after the processor time": (
        Ending(-signal.SIGKILL, cpu_seconds=USED - 0.1),
        b"",
        Outcome.TIMED_OUT,
        "cpu",
        {"seconds": PATIENT.total_seconds},
    ),
    "another signal after the processor time": (
        Ending(-signal.SIGTERM, cpu_seconds=USED),
        b"",
        Outcome.CRASHED,
        "signal",
        {"signal": "SIGTERM"},
    ),
    "SIGKILL before": (
        Ending(-signal.SIGKILL, cpu_seconds=USED - 0.2),
        b"",
        Outcome.CRASHED,
        "signal",
        {"signal": "SIGKILL"},
    ),
    "a system call that the filter refuses": (
        Ending(-signal.SIGSYS),
        b"",
        Outcome.FORBIDDEN,
        "system_call",
        {},
    ),
}


@pytest.mark.parametrize(
    ("ending", "said", "outcome", "kind", "facts"), CRASHES.values(), ids=CRASHES
)
def test_the_end_of_a_process_is_judged_by_status_memory_time_and_output(
    sources: Sources,
    ending: Ending,
    said: bytes,
    outcome: Outcome,
    kind: str,
    facts: dict[str, Any],
) -> None:
    judged = of_ending(ending, Output(said, "m"), sources, PATIENT)
    assert (judged.outcome, told(judged.failure)) == (outcome, told(Failure(kind, facts=facts)))


@pytest.mark.parametrize("name", CRASHES)
def test_only_a_kill_without_a_limit_is_foreign(name: str) -> None:
    ending, said, *_ = CRASHES[name]
    assert is_foreign_kill(ending, Output(said, "m"), PATIENT) is (name == "SIGKILL before")


@pytest.mark.parametrize(
    ("ending", "is_foreign"),
    [
        (Ending(-9, 50.0, cpu_seconds=1.0), True),
        (Ending(-9, 290.0, cpu_seconds=1.0), False),  # near its limit of memory
        (Ending(-9, 50.0, cpu_seconds=60.95), False),  # the kernel's limit of processor time
        (Ending(-9, 50.0, flooded=True), False),
        (Ending(-15, 50.0), False),
        (Ending(None), False),
    ],
)
def test_only_a_kill_without_a_reason_of_the_submission_is_the_machines(
    ending: Ending, is_foreign: bool
) -> None:
    assert is_foreign_kill(ending, Output(b"", "m"), PATIENT) is is_foreign


def test_the_end_of_a_process_has_the_last_stack(sources: Sources) -> None:
    judged = of_ending(Ending(-signal.SIGSEGV), Output(STACK, "m"), sources, PATIENT)
    assert judged.failure.frames == (IN_MAIN, IN_HELPER)


def test_the_limit_of_processor_time_is_above_that_of_all_calls() -> None:
    assert cpu_seconds(PATIENT) == PATIENT.total_seconds + 1


def test_a_broken_protocol_is_a_crash_with_its_reason() -> None:
    judged = of_protocol("why")
    assert judged.outcome is Outcome.CRASHED
    assert told(judged.failure) == told(Failure("protocol", facts={"reason": "why"}))


def refused(facts: Facts, sources: Sources, confined: bool = False) -> tuple[Any, ...]:
    return shown(refusal_of_facts(facts, sources, "double", confined, "said"))


def test_a_refusal_without_the_entry_point_names_the_nearest(sources: Sources) -> None:
    facts = {"entry_point": "double", "found": "int", "defined": ["other", "doubel"]}
    expected = Failure("missing", facts=facts | {"nearest": "doubel"})
    given = Facts("missing", defined=("other", "doubel"), found="int")
    assert refused(given, sources) == shown(Refusal("missing", expected, output="said"))


def test_a_refusal_of_a_syntax_error_shows_its_place(sources: Sources) -> None:
    error = Failure("syntax", "SyntaxError", "bad")
    for given, expected in {
        (1, 2, 5): (2, 5, "\tX / 0  "),
        (None, 2, 5): (2, 5, ""),
        (0, 0, 0): (None, None, ""),
        (0, None, None): (None, None, ""),
    }.items():
        file, line, column = given
        facts = Facts("syntax", "SyntaxError", "bad", file=file, line=line, column=column)
        assert refused(facts, sources) == shown(Refusal("syntax", error, *expected, output="said"))


def test_a_refusal_of_an_exception_shows_the_innermost_line(sources: Sources) -> None:
    facts = Facts("import", "E", "m", PLACES)
    failure = Failure("loading", "E", "m", (IN_MAIN, IN_HELPER))
    expected = Refusal("import", failure, line=2, text="X / 0", output="said")
    assert refused(facts, sources) == shown(expected)
    nowhere = Refusal("import", Failure("loading", "E", "m"), output="said")
    assert refused(Facts("import", "E", "m"), sources) == shown(nowhere)


def test_a_refusal_has_the_kind_of_the_outcome(sources: Sources) -> None:
    assert refused(Facts("import", errno=errno.EPERM), sources, confined=True)[0] == "forbidden"
    kinds = {
        Ending(0, flooded=True): "output",
        Ending(3): "crash",
        Ending(-signal.SIGXCPU): "timeout",
        Ending(-signal.SIGABRT, PATIENT.memory_mb): "memory",
    }
    for ending, kind in kinds.items():
        judged = of_ending(ending, Output(b"", "m"), sources, PATIENT)
        assert refusal_of_ending(judged, "said").kind == kind


def test_the_frames_of_a_child_begin_on_the_page_after_the_request() -> None:
    pages = [protocol.frames_start(length) // protocol.PAGE for length in (1, 4096, 4097)]
    assert pages == [2, 2, 3]
