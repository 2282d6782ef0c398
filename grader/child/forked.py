"""A forked child of the zygote: enter the sandbox, wait for a request, serve it, end."""

from __future__ import annotations

import _thread
import json
import mmap
import os
import sys
from typing import NamedTuple

import numpy as np

from . import interpreter, protocol, worker
from .sandbox import enter, seccomp, tasks

TRACE, _DONE, _GO, _MEMORY, _FIRST_FREE = range(3, 8)
"""the child's descriptors besides 0, 1 and 2"""


class SlotDescriptors(NamedTuple):
    """The zygote's descriptors of one slot; see `grader.runners.launch.Launched`."""

    memory: int
    output: int
    go: int
    done: int


def live(
    slot: SlotDescriptors,
    last: int,
    limit: tasks.TaskLimit,
    calls: seccomp.Filter,
    early: bool,
    parent: int,
) -> None:
    """Enter every layer of the sandbox, serve one request and end this process.

    `last` is the greatest number of an open descriptor. `early` is true when there is time to
    prepare before the request. `parent` is the zygote's process id. OSError when a layer cannot be
    entered.
    """
    enter.die_with(parent)
    for target in (1, 2, TRACE):
        os.dup2(slot.output, target, inheritable=False)
    os.dup2(slot.done, _DONE, inheritable=False)
    os.dup2(slot.go, _GO, inheritable=False)
    os.dup2(slot.memory, _MEMORY, inheritable=False)
    os.closerange(_FIRST_FREE, last + 1)
    memory = mmap.mmap(_MEMORY, protocol.MEMORY_SIZE)
    os.closerange(_MEMORY, _MEMORY + 8)  # the mmap object has its own duplicate
    limit.enter()
    calls.enter(os.getpid())
    if early:
        _touch()
    os.read(_GO, 8)
    os.close(_GO)
    (length,) = protocol.WORD.unpack_from(memory, protocol.REQUEST_LENGTH)
    request = protocol.decode_request(memoryview(memory)[protocol.PAGE : protocol.PAGE + length])
    interpreter.mark_traces(request.marker)
    sys.argv[:] = [request.name]
    send = _sender(memory, protocol.frames_start(length))
    send(protocol.encode_frame(protocol.HELLO, 0, None))
    worker.serve(request, send)
    os.write(_DONE, protocol.WORD.pack(1))
    os._exit(0)


def _sender(memory: mmap.mmap, start: int) -> worker.Send:
    """Return a function that appends a frame and then, after a memory barrier, its length."""
    end = start
    barrier = _thread.allocate_lock()

    def send(frame: bytes) -> None:
        nonlocal end
        memory[end : end + len(frame)] = frame
        end += len(frame)
        with barrier:  # its atomic operations order the two writes on every processor
            protocol.WORD.pack_into(memory, protocol.COMMITTED, end - start)

    return send


def _touch() -> None:
    """Run sample code like a submission's, so that its page faults happen before the request."""
    space: dict[str, object] = {}
    exec(compile(_SAMPLE, "sample", "exec"), space)
    json.loads(json.dumps([1.5, "text", None, {"a": [True]}]))
    np.exp(np.ones((8, 8)) @ np.ones((8, 8))).sum(axis=-1, keepdims=True)


_SAMPLE = """
import numpy as np
class Sample:
    def method(self, value, *more, **names):
        return [value for _ in range(3)], {name: names[name] for name in names}
def sample(a, b=None):
    try:
        return np.stack([a, a]).reshape(2, -1).T
    except ValueError as error:
        raise
sample(np.ones((2, 2)))
Sample().method(1, 2, x=3)
"""
