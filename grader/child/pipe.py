"""A child of the `process` runner: request on stdin, frames on a private copy of stdout."""

from __future__ import annotations

import faulthandler
import io
import os
import sys

from . import calling, interpreter, protocol, worker


def main(word: str) -> None:
    """Read the request, serve it, and end without exit handlers or waiting for threads.

    `word` is the grader's process id. On Linux this process dies with it.
    """
    if sys.platform == "linux":
        from .sandbox import enter

        enter.die_with(int(word))
    request = _read_request()
    results = _redirect()
    if sys.platform == "linux":
        interpreter.forget_the_course()
    else:
        interpreter.forget_the_grader()
    interpreter.like_a_script()
    calling.collector.install()
    interpreter.trace_on_request(os.dup(2), request.marker)
    sys.argv[:] = [request.name]
    interpreter.apply_limits(interpreter.limits_of(request.memory_mb, request.cpu_seconds))
    send = _sender(results, request)
    send(protocol.encode_frame(protocol.HELLO, 0, None))
    worker.serve(request, send)
    os._exit(0)


def _read_request() -> protocol.Request:
    header = sys.stdin.buffer.read(protocol.REQUEST.size)
    return protocol.decode_request(header + sys.stdin.buffer.read(protocol.request_size(header)))


def _redirect() -> int:
    """Return a private descriptor for frames; stdin is then empty and stdout is stderr."""
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


def _sender(results: int, request: protocol.Request) -> worker.Send:
    """Return a function that writes a whole frame.

    Windows has no SIGUSR1; there it also schedules a stack trace of a call beyond its limit.
    """

    def send(frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            rest = rest[os.write(results, rest) :]
        if sys.platform == "win32":
            faulthandler.dump_traceback_later(request.seconds + 0.1, file=trace)

    trace = os.dup(2)
    return send
