"""A worker alone in its process: job on stdin, frames on a private copy of stdout."""

from __future__ import annotations

import builtins
import faulthandler
import io
import os
import signal
import sys
from typing import Any

from . import channel, rlimits, worker


def main() -> None:
    """Take the job, serve it, and end at once: no exit handler, no waiting for threads."""
    job = _read_job()
    results = _redirect()
    prepare(job)
    rlimits.apply(job.memory_mb, job.cpu_seconds)
    send = _sender(results, job)
    send(channel.encode_frame(channel.HELLO, 0, None))
    worker.serve(job, send)
    os._exit(0)


def prepare(job: channel.Job) -> None:
    """Give the learner's code what an ordinary start of Python gives: `-S` left some of it out."""
    from _sitebuiltins import Quitter

    for name in ("exit", "quit"):
        setattr(builtins, name, Quitter(name, "Ctrl-D"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)
    sys.argv[:] = [job.name]
    trace_on_request(job.marker)


def trace_on_request(marker: str) -> None:
    """Write the learner's stack on a crash and, where there are signals, on SIGUSR1.

    `faulthandler` answers even inside a C call; the marker after its text appears only when
    the interpreter still runs, which tells a Python loop from one long C call.
    """
    trace = os.dup(2)
    faulthandler.enable(trace, all_threads=False)
    if sys.platform == "win32":
        return
    alive = f"\0{marker}+\0".encode("ascii")

    def answer(*_: Any) -> None:
        os.write(trace, alive)

    signal.signal(signal.SIGUSR1, answer)
    faulthandler.register(signal.SIGUSR1, trace, all_threads=False, chain=True)


def _read_job() -> channel.Job:
    header = sys.stdin.buffer.read(channel.JOB.size)
    return channel.decode_job(header + sys.stdin.buffer.read(channel.job_size(header)))


def _redirect() -> int:
    """Return a private descriptor for frames; stdin becomes empty, stdout joins stderr."""
    results = os.dup(1)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(results, os.O_BINARY)
    return results


def _sender(results: int, job: channel.Job) -> worker.Send:
    """Return what writes a frame whole and, where there is no SIGUSR1, winds the stack alarm."""

    def send(frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            rest = rest[os.write(results, rest) :]
        if sys.platform == "win32":
            faulthandler.dump_traceback_later(job.seconds + 0.1, file=trace)

    trace = os.dup(2)
    return send
