"""One forked child of the warm process: into the sandbox, wait for a job, serve it, end."""

from __future__ import annotations

import json
import mmap
import os
import random
import signal
import sys
import threading
from typing import NamedTuple

import numpy as np

from . import channel, manners, rlimits, slots, worker
from .confine import enter, privileges

OUTPUT_BYTES = 2**20
TRACE, _DONE, _GO, _MEMORY, _FIRST_FREE = range(3, 8)
"""the child's descriptors beside 0, 1 and 2"""


class Slot(NamedTuple):
    """The warm process's descriptors of one slot; see `grader.runners.launch`."""

    memory: int
    output: int
    go: int
    done: int


def live(slot: Slot, memory_mb: int, cpu_seconds: int, parent: int) -> None:
    """Serve one job and end this process. Learner code runs only after every layer is on."""
    privileges.die_with(parent)
    memory = _keep_own(slot)
    for number in (signal.SIGCHLD, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    rlimits.apply(memory_mb + slots.SIZE // 2**20, cpu_seconds, OUTPUT_BYTES)
    enter.inner()
    _touch()
    os.read(_GO, 8)
    os.close(_GO)
    (length,) = slots.WORD.unpack_from(memory, slots.JOB_LENGTH)
    job = channel.decode_job(memoryview(memory)[slots.PAGE : slots.PAGE + length])
    manners.mark_traces(job.marker)
    sys.argv[:] = [job.name]
    send = _sender(memory, slots.frames_start(length))
    send(channel.encode_frame(channel.HELLO, 0, None))
    worker.serve(job, send)
    os.write(_DONE, slots.WORD.pack(1))
    os._exit(0)


def _keep_own(slot: Slot) -> mmap.mmap:
    """Keep this slot's descriptors under fixed numbers, close all others, map the memory."""
    for source, target in (
        (slot.output, 1),
        (slot.output, 2),
        (slot.output, TRACE),
        (slot.done, _DONE),
        (slot.go, _GO),
        (slot.memory, _MEMORY),
    ):
        os.dup2(source, target, inheritable=False)
    privileges.close_from(_FIRST_FREE)
    memory = mmap.mmap(_MEMORY, slots.SIZE)
    os.close(_MEMORY)
    return memory


def _sender(memory: mmap.mmap, start: int) -> worker.Send:
    """Return what appends a frame and then, behind a memory barrier, its length."""
    end = start
    barrier = threading.Lock()

    def send(frame: bytes) -> None:
        nonlocal end
        memory[end : end + len(frame)] = frame
        end += len(frame)
        with barrier:  # its atomic operations order the two writes on every processor
            slots.WORD.pack_into(memory, slots.COMMITTED, end - start)

    return send


def _touch() -> None:
    """Do a little of what a submission does, so that its page faults are over before it comes."""
    random.seed(0)
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
    except ValueError as problem:
        raise
sample(np.ones((2, 2)))
Sample().method(1, 2, x=3)
"""
