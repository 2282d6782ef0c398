"""Nothing of a submission is left for the next one: memory, output, descriptors, counters."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator

import numpy as np
import pytest

from grader.child import protocol
from grader.errors import UsageError
from grader.model import Call, Job
from grader.runners import launch
from grader.runners.zygote import ZygoteRunner

from .conftest import ONE, PATIENT, calls, submission

if sys.platform != "linux":
    pytest.skip("the zygote needs Linux", allow_module_level=True)

MARKER = "the-answer-of-a-former-learner"

LEAVES = f"""
    import mmap, os, sys
    import numpy as np
    MARKER = "{MARKER}-left-behind"
    print(MARKER, flush=True)
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, (12345).to_bytes(8, "little"))
        except OSError:
            pass
    def leave(memory):
        text = MARKER.encode()
        for place in (64, 4000, 10**6, 10**7, len(memory) // 2, len(memory) - 100):
            memory[place : place + len(text)] = text
    def f(X):
        print(MARKER)
        frame = sys._getframe()
        while frame:
            for value in frame.f_locals.values():
                if type(value) is mmap.mmap and len(value) == {protocol.MEMORY_SIZE}:
                    leave(value)
            frame = frame.f_back
        return np.frombuffer((MARKER * 400).encode()[:16000])[None, :]
    """
"""leaves its marker in its source, its output, its answers and wherever it can write"""

SEARCHES = f"""
    import ctypes, gc, mmap, os, select, stat, sys
    MARKER = "{MARKER[::-1]}"[::-1].encode()
    PLACES = [os.lseek(n, 0, os.SEEK_CUR) for n in (1, 2)]

    def foreign(data):
        # Its own marker has no end, so it finds only that of another one.
        place = data.find(MARKER)
        while place >= 0 and data[place + len(MARKER) :][:5] != b"-left":
            place = data.find(MARKER, place + 1)
        return place >= 0

    def slots():
        frame = sys._getframe()
        while frame:
            for value in frame.f_locals.values():
                if type(value) is mmap.mmap and len(value) == {protocol.MEMORY_SIZE}:
                    yield value
            frame = frame.f_back

    def files():
        for n in range(64):
            try:
                yield os.pread(n, 2**20, 0)
            except OSError:
                continue

    def counters():
        for n in range(3, 64):
            try:
                is_file = stat.S_ISREG(os.fstat(n).st_mode)
                if not is_file and select.select([n], [], [], 0)[0]:
                    yield n
            except OSError:
                continue

    def heap():
        libc, (reading, writing) = ctypes.CDLL(None), os.pipe()
        blocks = {{id(value) >> 20 for value in gc.get_objects()}}
        for block in sorted({{b + d for b in blocks for d in (-1, 0, 1)}}):
            data = b""
            for page in range(block << 20, (block + 1) << 20, 4096):
                if libc.write(writing, ctypes.c_void_p(page), ctypes.c_size_t(4096)) == 4096:
                    data += os.read(reading, 4096)
            yield data

    def f(X):
        for what in (slots, files, heap):
            searched = 0
            for data in what():
                searched += len(data)
                assert not foreign(data), what.__name__
            assert searched, what.__name__
        assert not list(counters()), "counters"
        assert PLACES == [0, 0], "where the former output ended"
        return X
    """
"""looks for that marker in its slot, its descriptors and its heap, and for other traces"""


@pytest.fixture
def zygote() -> Iterator[ZygoteRunner]:
    try:
        with ZygoteRunner() as made:
            yield made
    except UsageError as missing:
        pytest.skip(str(missing))


def job(source: str, **options: str) -> Job:
    return Job(submission(source, **options), "f", ONE, calls(2), PATIENT)


@pytest.mark.parametrize("longer", ["the former", "the latter"])
def test_a_submission_finds_nothing_of_the_one_before(zygote: ZygoteRunner, longer: str) -> None:
    padding = "\n" + "# a long comment\n" * 5000
    leaves, searches = LEAVES, SEARCHES
    if longer == "the former":
        leaves = textwrap.dedent(LEAVES) + padding
    else:
        searches = textwrap.dedent(SEARCHES) + padding
    for _ in range(2 * launch.SLOTS):
        left = zygote.run(job(leaves, helper=f"text = '{MARKER}-left-behind'"))
        assert left.refusal is None
        searched = zygote.run(job(searches))
        assert searched.refusal is None
        failures = [e.failure and e.failure.message for e in searched.executions.values()]
        assert failures == [None, None]


def test_hidden_inputs_are_not_left_for_the_next_submission(zygote: ZygoteRunner) -> None:
    text = np.frombuffer(f"{MARKER}-left-behind--".encode()[:40])
    hidden = Call("hidden", "hidden", (np.tile(text, (2000, 1)),), hidden=True)
    visible = Call("visible", "visible", (np.zeros((1, 4)),))
    for _ in range(2 * launch.SLOTS):
        for calls_ in ([hidden, visible], [visible]):
            run = zygote.run(Job(submission(SEARCHES), "f", ONE, calls_, PATIENT))
            assert run.executions["visible"].failure is None
            assert ("hidden" in run.executions) == (len(calls_) == 2)
        failure = zygote.run(Job(submission(SEARCHES), "f", ONE, [hidden], PATIENT))
        told = failure.executions["hidden"].failure
        assert told is not None, "the search finds nothing"
        assert told.message == "slots"
