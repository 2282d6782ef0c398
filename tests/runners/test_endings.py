"""Every hang or crash costs one case, with the same outcome each time.

`PYTHONPATH=. python -m tests.runners.test_endings 20` runs each twenty times.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest

from grader import explain
from grader.model import Call, Job, Run
from grader.runners import Runner, choose

from .conftest import ONE, PATIENT, QUICK, submission

HEAD = """\
import ctypes, faulthandler, itertools, os, queue, re, select, signal, sys, threading, time
import numpy as np
def f(X, bad):
    if bad:
        return hit(X)
    return X
def spin():
    while True: pass
class Slow(Exception):
    def __str__(self): spin()
class SlowDict(dict):
    def items(self): spin()
class SlowEnd:
    def __del__(self): spin()
class Deep:
    def __getattr__(self, name): return getattr(self, name + 'x')
def hit(X):
"""
HANGS = {
    "a loop": "while True: pass",
    "a loop in a helper": "spin()",
    "a sleep": "time.sleep(99)",
    "a loop that catches every exception": """
    while True:
        try:
            while True: pass
        except BaseException: pass""",
    "one long call": "sum(range(10**12))",
    "a long power": "(3 ** 10 ** 7) % (7 ** 10 ** 6)",
    "a pattern that backtracks": "re.match('(a+)+$', 'a' * 60 + 'b')",
    "a lock taken twice": "lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "a thread that never ends": "t = threading.Thread(target=spin); t.start(); t.join()",
    "an empty queue": "queue.Queue().get()",
    "an event that never comes": "threading.Event().wait()",
    "an empty pipe": "os.read(os.pipe()[0], 1)",
    "a poll of nothing": "select.select([], [], [])",
    "signals ignored": """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    spin()""",
    "signals blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64)); spin()",
    "an alarm that starts again": """
    signal.signal(signal.SIGALRM, lambda *_: spin())
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    spin()""",
    "an exception whose __str__ never ends": "raise Slow",
    "a dictionary whose items never end": "return SlowDict(a=1)",
    "a result whose finaliser never ends": "return SlowEnd()",
    "an iterator without an end": "for _ in itertools.count(): pass",
    "output that trickles": """
    while True:
        print('.', end='', flush=True)
        time.sleep(0.01)""",
}
ENDS = {
    "a null pointer": ("ctypes.string_at(0)", "crashed", "SIGSEGV"),
    "a deliberate crash": ("faulthandler._sigsegv()", "crashed", "SIGSEGV"),
    "an abort": ("os.abort()", "crashed", "SIGABRT"),
    "a floating point signal": ("os.kill(os.getpid(), signal.SIGFPE)", "crashed", "SIGFPE"),
    "a bus error": ("os.kill(os.getpid(), signal.SIGBUS)", "crashed", "SIGBUS"),
    "an illegal instruction": ("os.kill(os.getpid(), signal.SIGILL)", "crashed", "SIGILL"),
    "a SIGKILL": ("os.kill(os.getpid(), signal.SIGKILL)", "crashed", "SIGKILL"),
    "a SIGTERM": ("os.kill(os.getpid(), signal.SIGTERM)", "crashed", "SIGTERM"),
    "a real-time signal": ("os.kill(os.getpid(), 50)", "crashed", "signal 50"),
    "a CPU limit": ("os.kill(os.getpid(), signal.SIGXCPU)", "timed_out", "CPU time"),
    "a forbidden call": ("os.kill(os.getpid(), signal.SIGSYS)", "forbidden", "not permitted"),
    "an exit with success": ("os._exit(0)", "crashed", "exit status 0"),
    "an exit with an error": ("os._exit(3)", "crashed", "exit status 3"),
    "an exit in a thread": (
        "threading.Thread(target=os._exit, args=(1,)).start(); time.sleep(9)",
        "crashed",
        "exit status 1",
    ),
    "a C stack that overflows": (
        "sys.setrecursionlimit(10**9); threading.stack_size(2**16); Deep().x",
        "crashed",
        "SIGSEGV",
    ),
    "a flood of text": ("while True: print('x' * 99)", "output_limit", "1 MiB"),
    "a flood of bytes": ("while True: os.write(2, b'x' * 4096)", "output_limit", "1 MiB"),
    "a flood that ignores the signal": (
        """
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    while True:
        try: os.write(1, b'x' * 4096)
        except OSError: pass""",
        "output_limit",
        "1 MiB",
    ),
    "a list too long": ("return [0] * 10**9", "memory", ""),
    "an array too large": ("return np.ones((10**5, 10**5))", "memory", "allocate"),
    "arrays that pile up": (
        "kept = []\n    while True: kept.append(np.empty(10**7))",
        "memory",
        "allocate",
    ),
    "a buffer too large": ("bytearray(2**40)", "memory", ""),
    "a text too long": ("'x' * 2**40", "memory", ""),
}
BODIES = {
    name: (body, "timed_out", f"did not finish within {QUICK.seconds} s")
    for name, body in HANGS.items()
} | ENDS


def attempt(runner: Runner, name: str) -> tuple[Run, float]:
    """Run the body `name` as the second of four calls; the third has the same requirement."""
    X = np.ones(2)
    given = [
        Call("before", "hit", (X, False)),
        Call("hit", "hit", (X, True)),
        Call("after", "hit", (X, False)),
        Call("other", "spared", (X, False)),
    ]
    source = f"{HEAD}    {BODIES[name][0]}\n"
    began = time.monotonic()
    limits = QUICK if name in HANGS else PATIENT
    run = runner.run(Job(submission(source), "f", ONE, given, limits))
    return run, time.monotonic() - began


def outcomes(run: Run) -> list[str]:
    assert run.refusal is None, run.refusal
    return [execution.outcome.value for execution in run.executions.values()]


def test_a_crash_is_not_a_lack_of_memory_because_the_grader_is_large(runner: Runner) -> None:
    """Linux starts a process with the peak memory of its parent."""
    assert np.ones(50_000_000).sum() > 0  # 400 MB, more than the limit of the submission
    run, _ = attempt(runner, "a null pointer")
    assert outcomes(run)[1] == "crashed"


@pytest.mark.parametrize("name", BODIES)
def test_a_hang_or_crash_costs_one_case_and_the_rest_of_its_requirement(
    runner: Runner, name: str
) -> None:
    _, outcome, words = BODIES[name]
    if (runner.name, name) == ("zygote", "a SIGKILL"):
        pytest.skip("the filter of system calls refuses it: test_zygote.py")
    run, _ = attempt(runner, name)
    assert outcomes(run) == ["returned", outcome, "not_run", "returned"]
    assert words in "\n".join(explain.failure_lines(run.executions["hit"]))
    left_out = run.executions["after"].failure
    assert left_out is not None
    assert (left_out.kind, left_out.facts) == ("after", {"case": "hit", "outcome": outcome})


PLACES = {
    "a loop": "line 18, in hit",
    "a loop in a helper": "line 8, in spin",
    "a sleep": "line 18, in hit",
    "one long call": "line 18, in hit, inside one long call that Python cannot interrupt",
    "an empty queue": "line 18, in hit",
    "a null pointer": "line 18, in hit",
}


@pytest.mark.parametrize("name", PLACES)
def test_the_message_about_a_hang_or_crash_names_the_learners_line(
    runner: Runner, name: str
) -> None:
    execution = attempt(runner, name)[0].executions["hit"]
    message, *_ = explain.failure_lines(execution)
    assert f"solutions/it.py, {PLACES[name]}" in message
    assert execution.failure is not None
    assert execution.failure.frames[-1].text


def main(times: int) -> None:
    """Run every body `times` times under every runner; print different outcomes and the slowest."""
    for runner_name in ("zygote", "process"):
        with choose(runner_name)[0] as runner:
            slowest = (0.0, "")
            for name in BODIES:
                runs = [attempt(runner, name) for _ in range(times)]
                kinds = {tuple(outcomes(run)) for run, _ in runs}
                slowest = max(slowest, (max(seconds for _, seconds in runs), name))
                if len(kinds) > 1:
                    print(f"{runner_name}: {name} differs: {kinds}")
            print(f"{runner_name}: {len(BODIES)} kinds, {times} times each; slowest {slowest}")


if __name__ == "__main__":
    main(int(sys.argv[1]))
