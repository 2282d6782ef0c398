"""The same units of work on an existing Dask cluster (`distributed`, the optional extra `dask`).

Every worker needs this package and no file of the course: the snapshots travel to it. What the
cluster did not finish is not in the database, so whatever dies, the next run does the rest.
"""

from __future__ import annotations

import importlib
import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any

from grader.batch.pool import SLOTS, SLOW_SECONDS
from grader.batch.snapshot import Snapshot, digest, grader_version
from grader.batch.unit import Fault, Graded, Running, Unit
from grader.batch.workshop import Workshop
from grader.errors import Complaint, GraderError, UsageError

_CONNECT_SECONDS = 10.0
_WAIT_SECONDS = 0.2
_LOST_SECONDS = 60.0
"""how long to wait while there is no worker at all"""
_COUNT_SECONDS = 1.0
_MOST_TRIES = 3
_OLD_SECONDS = 2 * SLOW_SECONDS
_AHEAD = 8
"""units for each thread of the cluster that are under way, so that none waits for us"""

try:
    distributed: Any = importlib.import_module("distributed")
except ImportError:  # the extra is not installed: `Cluster` says so
    distributed = None
_WorkerPlugin: Any = distributed.WorkerPlugin if distributed else object


class Cluster:
    """A context manager around a connection. Raises UsageError when there is none to be had."""

    def __init__(
        self,
        address: str,
        snapshots: Sequence[Snapshot],
        running: Running,
        tell: Callable[[str], None],
    ) -> None:
        if distributed is None:
            raise UsageError(
                Complaint(
                    "--dask needs the package distributed",
                    way_out="Install it: python -m pip install 'distributed>=2024.8'",
                )
            )
        # What its client logs of lost workers and schedulers is said here in our words.
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._address = address
        self._units: dict[str, tuple[Unit, Any, float]] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._tries: Counter[str] = Counter()
        self._seen_worker = time.monotonic()
        self._count, self._counted = 0, -_COUNT_SECONDS
        self._name = f"grader-{digest([*(s.key for s in snapshots), repr(running)])[:16]}"
        try:
            self._client = distributed.Client(
                address, timeout=_CONNECT_SECONDS, set_as_default=False
            )
        except (OSError, TimeoutError, ValueError) as error:
            raise UsageError(f"no Dask scheduler at {address}: {error}") from None
        try:
            self._install(_Plugin(self._name, snapshots, running), tell)
        except BaseException:
            self._client.close()
            raise

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *ending: object) -> None:
        with suppress(Exception):  # the scheduler may be gone: nothing is left to tidy
            for _, future, _ in list(self._units.values()):
                future.cancel()
            self._client.unregister_worker_plugin(self._name)
        self._client.close(timeout=_CONNECT_SECONDS)

    @property
    def busy(self) -> int:
        """How many units have begun and not ended."""
        return len(self._units)

    @property
    def has_room(self) -> bool:
        """Whether another unit can begin now; those that may hang do not count, up to a limit."""
        since = time.monotonic() - _OLD_SECONDS
        young = sum(begun > since for _, _, begun in self._units.values())
        threads = max(1, self._threads)
        return young < _AHEAD * threads and len(self._units) < (_AHEAD + SLOTS) * threads

    def submit(self, unit: Unit) -> None:
        """Begin with a unit. Only while `has_room`."""
        self._tries[unit.key] += 1
        name = f"{self._name}-{unit.key}-{self._tries[unit.key]}"
        future = self._client.submit(_grade, unit, self._name, key=name, pure=False)
        self._units[unit.key] = (unit, future, time.monotonic())
        future.add_done_callback(lambda done: self._done.put((unit.key, done)))

    def results(self) -> list[Graded | Fault]:
        """Return what is ready, after a short wait. Raises UsageError when the cluster is gone."""
        ended = self._ended()
        if not ended:
            self._look()
            return []
        finished = [future for _, future in ended if future.status == "finished"]
        try:
            found: list[Graded | Fault] = self._client.gather(finished)
        except (OSError, CancelledError):  # the connection ended before they came
            raise self._gone("the scheduler is gone") from None
        for unit, future in ended:
            if future.status != "finished":
                found += self._failed(unit, future)
        return found

    def _ended(self) -> list[tuple[Unit, Any]]:
        """Return the units that have ended and what became of them, after a short wait."""
        ended: list[tuple[Unit, Any]] = []
        wait = _WAIT_SECONDS
        while True:
            try:
                key, future = self._done.get(timeout=wait) if wait else self._done.get_nowait()
            except queue.Empty:
                return ended
            wait = 0.0
            unit, _, _ = self._units.pop(key)
            ended.append((unit, future))

    def _failed(self, unit: Unit, future: Any) -> list[Fault]:
        """Try a unit again for which no worker lived long enough, but not for ever."""
        if future.status != "error" or self._client.status != "running":
            raise self._gone("the scheduler is gone")
        if self._tries[unit.key] < _MOST_TRIES:
            self.submit(unit)
            return []
        return [Fault(unit.key, f"the cluster could not grade this: {future.exception()}")]

    def _look(self) -> None:
        """Raise UsageError when there is no scheduler, or no worker for a while."""
        now = time.monotonic()
        if self._client.status not in ("running", "connecting"):
            raise self._gone("the scheduler is gone")
        if self._threads:
            self._seen_worker = now
        elif now - self._seen_worker > _LOST_SECONDS:
            raise self._gone("no worker is left")

    def _gone(self, what: str) -> UsageError:
        way_out = "What was graded is kept: run the same command again."
        return UsageError(Complaint(f"Dask at {self._address}: {what}", way_out=way_out))

    @property
    def _threads(self) -> int:
        """The cluster's threads; asked for once in a while, since that is a round trip."""
        now = time.monotonic()
        if now - self._counted > _COUNT_SECONDS and self._client.status == "running":
            self._counted, self._count = now, sum(self._client.nthreads().values())
        return self._count

    def _install(self, plugin: _Plugin, tell: Callable[[str], None]) -> None:
        if not self._threads:
            raise UsageError(f"Dask at {self._address}: it has no worker")
        try:
            self._client.register_plugin(plugin)
        except GraderError:
            raise
        except Exception as error:  # whatever a worker raised when it set up the workshop
            way_out = "Every worker needs the same version of this package."
            message = f"Dask at {self._address}: a worker cannot grade: {error}"
            raise UsageError(Complaint(message, way_out=way_out)) from None
        notes = self._client.run(_note, self._name)
        for note in sorted(set(filter(None, notes.values()))):
            tell(note)


class _Plugin(_WorkerPlugin):  # type: ignore[misc]
    """Sets up a workshop on every worker, also on those that join later."""

    def __init__(self, name: str, snapshots: Sequence[Snapshot], running: Running) -> None:
        self.name = name
        self._snapshots = tuple(snapshots)
        self._running = running
        self._version = grader_version()
        self.workshop: Workshop | None = None

    def setup(self, worker: Any) -> None:
        """Unpack the snapshots and start a runner. Raises when this is another grader."""
        if grader_version() != self._version:
            raise RuntimeError(f"its grader is {grader_version()}, ours is {self._version}")
        # Dask clears what a worker that was killed left in its folder.
        self.workshop = Workshop(self._snapshots, self._running, worker.local_directory)

    def teardown(self, worker: Any) -> None:
        """End the runners and remove the files."""
        if self.workshop:
            self.workshop.close()


def _workshop(name: str) -> Workshop:
    workshop: Workshop = distributed.get_worker().plugins[name].workshop
    return workshop


def _note(name: str, dask_worker: Any) -> str:
    """Return a worker's note; Dask fills in the parameter of this name."""
    note: str = dask_worker.plugins[name].workshop.note
    return note


def _grade(unit: Unit, name: str) -> Graded | Fault:
    """Grade on a worker; a unit that may hang leaves the worker's threads to others."""
    workshop = _workshop(name)
    found: list[Graded | Fault] = []
    thread = threading.Thread(target=lambda: found.append(workshop.grade(unit)))
    thread.start()
    thread.join(SLOW_SECONDS)
    if thread.is_alive():
        distributed.secede()
        thread.join()
    return found[0]
