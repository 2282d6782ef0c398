"""What a hostile child sends costs the grader at most its budget of memory, each byte once."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from grader.child import protocol

from .conftest import UNTRUSTED

linux = pytest.mark.skipif(sys.platform != "linux", reason="the sources know the confined runner")

BUDGET = protocol.RESULT_BUDGET / 2**20
LARGE = "import numpy as np\ndef f(X):\n    return np.ones((1000, 3000))\n"
_CHANNEL = """
    import struct, sys, time

    frame = sys._getframe()
    while frame.f_code.co_name not in ("live", "main"):
        frame = frame.f_back
    """
COMMITTED_MAX = f"""{_CHANNEL}
    struct.pack_into("=Q", frame.f_locals["memory"], 0, 2**64 - 1)
    time.sleep(0.5)
    def f(X): pass
    """
COMMITTED_BODY = f"""{_CHANNEL}
    memory = frame.f_locals["memory"]
    start = struct.unpack_from("=Q", memory, 0)[0]
    at = 4096 * (1 + -(-struct.unpack_from("=Q", memory, 8)[0] // 4096)) + start
    ready = struct.pack("<4sB3xIIQ", b"GRD1", 2, 0, 15, 0) + b'{{"warnings":[]}}'
    body = struct.pack("<4sB3xIIQ", b"GRD1", 4, 0, 0, {protocol.RESULT_BUDGET})
    memory[at : at + len(ready) + len(body)] = ready + body
    struct.pack_into("=Q", memory, 0, 2**64 - 1)
    time.sleep(0.5)
    def f(X): pass
    """
ENDLESS_PIPE = f"""{_CHANNEL}
    import os
    send = frame.f_locals["send"]
    for number in range(3, 20):
        try:
            while True:
                os.write(number, bytes(2**20))
        except OSError:
            pass
    def f(X): pass
    """


def peaks(runner: str, source: str) -> tuple[float, float, str]:
    """Run one submission; return two peaks of the grader's memory in MiB, and how it ended.

    The peaks are the growth of resident memory, in which the pages of a slot that the grader read
    count as well, and of allocated memory.
    """
    script = f"""
        import resource, sys, tracemalloc
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        from runners.conftest import HONEST, ONE, PATIENT, calls, submission
        from grader.model import Job
        from grader.runners import RUNNERS

        def resident():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        source = {textwrap.dedent(source)!r}
        with RUNNERS[{runner!r}]()() as runner:
            runner.run(Job(submission(HONEST), "f", ONE, calls(1), PATIENT))
            before = resident()
            tracemalloc.start()
            run = runner.run(Job(submission(source), "f", ONE, calls(1), PATIENT))
        met = run.refusal or run.executions["case-0"]
        ended = met.failure or met.outcome
        print((resident() - before) / 2**10, tracemalloc.get_traced_memory()[1] / 2**20, ended)
        """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    resident, allocated, ended = ran.stdout.split(" ", 2)
    return float(resident), float(allocated), ended


@linux
def test_a_claim_of_endless_frames_costs_the_grader_no_memory() -> None:
    resident, allocated, ended = peaks("zygote", COMMITTED_MAX)
    assert "a frame with a wrong magic" in ended
    assert resident < 8
    assert allocated < 4


@linux
def test_the_largest_frame_is_copied_once() -> None:
    _, allocated, ended = peaks("zygote", COMMITTED_BODY)
    assert "meta of the wrong type" in ended
    assert allocated < BUDGET + 4


@linux
def test_an_endless_stream_that_is_no_frame_costs_the_grader_no_memory() -> None:
    resident, allocated, ended = peaks("process", ENDLESS_PIPE)
    assert "a frame with a wrong magic" in ended
    assert resident < 8
    assert allocated < 4


@linux
@pytest.mark.parametrize("runner", UNTRUSTED)
def test_a_large_answer_is_copied_out_of_its_frame_and_not_more_often(runner: str) -> None:
    size = 1000 * 3000 * 8 / 2**20
    _, allocated, ended = peaks(runner, LARGE)
    assert ended == "returned\n"
    assert 2 * size < allocated < 2.3 * size + 4
