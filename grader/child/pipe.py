"""A worker alone in its process: job on stdin, frames on a private copy of stdout."""

from __future__ import annotations

import faulthandler
import io
import os
import sys

from . import interpreter, protocol, worker


def main(word: str) -> None:
    """Take the job, serve it, and end at once: no exit handler, no waiting for threads."""
    job = _read_job()
    results = _redirect()
    interpreter.forget_the_grader()
    interpreter.like_a_script()
    worker.warning_notes.collect()
    interpreter.trace_on_request(os.dup(2), job.marker)
    sys.argv[:] = [job.name]
    interpreter.apply_limits(interpreter.limits_of(job.memory_mb, job.cpu_seconds))
    send = _sender(results, job)
    send(protocol.encode_frame(protocol.HELLO, 0, None))
    worker.serve(job, send)
    os._exit(0)


def _read_job() -> protocol.Job:
    header = sys.stdin.buffer.read(protocol.JOB.size)
    return protocol.decode_job(header + sys.stdin.buffer.read(protocol.job_size(header)))


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


def _sender(results: int, job: protocol.Job) -> worker.Send:
    """Return what writes a frame whole and, where there is no SIGUSR1, winds the stack alarm."""

    def send(frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            rest = rest[os.write(results, rest) :]
        if sys.platform == "win32":
            faulthandler.dump_traceback_later(job.seconds + 0.1, file=trace)

    trace = os.dup(2)
    return send
