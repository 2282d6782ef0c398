"""A script: run a thread bomb and honest threads under the confined runner, print the results.

Run it in a PID namespace of its own only. The bomb calls `clone` without the C library, so no
limit of memory sees its threads, and it stops by itself after `CAP` threads.
"""

from __future__ import annotations

import json
import sys
import textwrap

import numpy as np

from grader.model import Call, Job, Limits, ReturnedValue, Returns, Run, Submission
from grader.runners.zygote import ZygoteRunner

CAP = 600
_CODE = (
    "4989f8 bf000f0500 31f6 31d2 4531d2 b838000000 0f05 85c0 7513"  # clone(0x50f00, 0, ...)
    "4c89c7 31f6 31d2 4531d2 b8ca000000 0f05 ebed"  # the thread waits in futex, for ever
    "4898 c3"
)
"""x86-64: a function of the address of a zero word; returns what `clone` returned"""

BOMB = f"""
    import ctypes, mmap
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(bytes.fromhex({_CODE!r}))
    start = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p)(
        ctypes.addressof(ctypes.c_char.from_buffer(memory))
    )
    word = ctypes.c_uint32()
    def f(X):
        started = 0
        while started < {CAP} and start(ctypes.addressof(word)) > 0:
            started += 1
        return float(started)
    """
POOLS = """
    from concurrent.futures import ThreadPoolExecutor
    import numpy as np
    def f(X):
        with ThreadPoolExecutor() as pool:
            sums = list(pool.map(np.sum, [X + i for i in range(100)]))
        with ThreadPoolExecutor(4) as pool:
            products = list(pool.map(lambda i: X @ X.T + i, range(40)))
        return float(len(sums) + len(products))
    """
ONE = Returns("single", (ReturnedValue("output", ("row", "column")),))
LIMITS = Limits(seconds=30.0, import_seconds=30.0, total_seconds=60.0, memory_mb=600)


def job(source: str) -> Job:
    """Return a job of one call on a source text."""
    call = Call("case-0", "requirement", (np.ones((3, 4)),))
    submission = Submission("it.py", textwrap.dedent(source).encode(), {})
    return Job(submission, "f", ONE, [call], LIMITS)


def value(run: Run) -> float | str:
    """Return the number that the call returned, or what it raised."""
    execution = run.executions["case-0"]
    if execution.answer is None or execution.answer.values[0].array is None:
        return str(execution.failure)
    return float(execution.answer.values[0].array)


def main() -> None:
    """Run the bombs, two at once, with honest pools beside them and after them."""
    with ZygoteRunner(jobs=3) as runner:
        names = ["bomb", "bomb", "pool", "bomb", "pool"]
        waiting = [job(BOMB if name == "bomb" else POOLS) for name in names]
        tickets: list[int] = []
        runs: dict[int, Run] = {}
        while len(runs) < len(names):
            while waiting and runner.room:
                tickets.append(runner.submit(waiting.pop(0)))
            ended = runner.wait(1.0)
            runs |= {ticket: run for ticket, run in ended.items() if isinstance(run, Run)}
        found = [[name, value(runs[ticket])] for name, ticket in zip(names, tickets, strict=True)]
        json.dump({"isolation": runner.isolation, "found": found}, sys.stdout)


if __name__ == "__main__":
    main()
