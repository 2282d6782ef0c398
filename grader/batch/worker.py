"""The side of a worker process: units come in, what was graded goes out, until the pipe ends."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from grader.batch.snapshot import Snapshot
from grader.batch.unit import Running, Unit
from grader.batch.workshop import Workshop
from grader.errors import Complaint, GraderError


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker can begin. `note` is for the user, or ''."""

    note: str


@dataclass(frozen=True, slots=True)
class Unfit:
    """The worker cannot work; what the user can fix."""

    complaints: tuple[Complaint, ...]


def main(
    pipe: Connection, snapshots: Sequence[Snapshot], running: Running, slots: int, place: str
) -> None:
    """Serve until the other side is gone, then end whatever is still running here.

    The parent removes the folder `place`, unless it was killed: then the last worker does.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    try:
        workshop = Workshop(snapshots, running, place)
    except GraderError as error:
        pipe.send(Unfit(error.complaints))
        return
    lock = threading.Lock()

    def work(unit: Unit) -> None:
        graded = workshop.grade(unit)
        with lock:
            pipe.send(graded)

    # A unit that hangs keeps its thread; the parent then sends another one.
    threads = ThreadPoolExecutor(slots)
    try:
        pipe.send(Ready(workshop.note))
        while True:
            threads.submit(work, pipe.recv())
    except (EOFError, OSError):
        workshop.close()
        with suppress(OSError):
            Path(place).rmdir()
        os._exit(0)  # threads at work have nobody left to tell
