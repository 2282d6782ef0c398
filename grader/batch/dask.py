"""Grade tasks on an existing Dask cluster (`distributed`, the optional extra `dask`).

Every worker needs this package but no file of the course: it receives the snapshots. Only finished
tasks are in the database, so the next run grades the rest after a failure of the cluster.
"""

from __future__ import annotations

import importlib
import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from typing import Any

from grader import runners
from grader.batch.grading import SLOTS, Inbox, TaskGrader, serve
from grader.batch.snapshot import Snapshot, digest, grader_version
from grader.batch.task import Fault, Result, Task
from grader.errors import Complaint, GraderError, UsageError
from grader.options import RunningOptions
from grader.runners import Reached
from grader.runners.scheduler import SLOW_SECONDS

_CONNECT_SECONDS = 10.0
_WAIT_SECONDS = 0.2
_LOST_SECONDS = 60.0
"""how long to wait while the cluster has no worker"""
_COUNT_SECONDS = 1.0
_MOST_TRIES = 3
_OLD_SECONDS = 2 * SLOW_SECONDS
_AHEAD = 8
"""submitted tasks for each thread of the cluster, so that no thread waits for tasks"""

try:
    distributed: Any = importlib.import_module("distributed")
except ImportError:  # the extra is not installed; `DaskCluster` raises UsageError
    distributed = None
_WorkerPlugin: Any = distributed.WorkerPlugin if distributed else object


class DaskCluster:
    """An `Executor` on the Dask cluster at `address`; see `task.Executor`.

    The runners of all workers reach `reached`. UsageError when Dask is not installed, the scheduler
    cannot be reached, or a worker cannot grade.
    """

    def __init__(self, address: str, snapshots: Sequence[Snapshot], reached: Reached) -> None:
        self._address = address
        self._client = _client(address)
        self._tasks: dict[str, tuple[Task, Any, float]] = {}
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._tries: Counter[str] = Counter()
        self._seen_worker = time.monotonic()
        self._count, self._counted = 0, -_COUNT_SECONDS
        name = digest([*(snapshot.key for snapshot in snapshots), *reached])
        self._name = f"grader-{name[:16]}"
        try:
            self._install(_Plugin(self._name, snapshots, reached))
        except BaseException:
            self._client.close()
            raise

    def __enter__(self) -> DaskCluster:
        return self

    def __exit__(self, *ending: object) -> None:
        with suppress(Exception):  # the scheduler may have ended
            for _, future, _ in list(self._tasks.values()):
                future.cancel()
            self._client.unregister_worker_plugin(self._name)
        self._client.close(timeout=_CONNECT_SECONDS)

    @property
    def busy(self) -> int:
        """The number of tasks that were submitted and have no result yet."""
        return len(self._tasks)

    @property
    def has_room(self) -> bool:
        """Whether another task can be submitted; a few tasks that may hang do not count."""
        since = time.monotonic() - _OLD_SECONDS
        young = sum(begun > since for _, _, begun in self._tasks.values())
        threads = max(1, self._threads)
        return young < _AHEAD * threads and len(self._tasks) < (_AHEAD + SLOTS) * threads

    def submit(self, task: Task) -> None:
        """Submit a task to the cluster; allowed only while `has_room` is true."""
        self._tries[task.key] += 1
        name = f"{self._name}-{task.key}-{self._tries[task.key]}"
        future = self._client.submit(_grade, task, self._name, key=name, pure=False)
        self._tasks[task.key] = (task, future, time.monotonic())
        future.add_done_callback(lambda done: self._done.put((task.key, done)))

    def results(self) -> list[Result]:
        """Wait briefly and return the new results. UsageError when the cluster has ended."""
        ended = self._ended()
        if not ended:
            self._look()
            return []
        finished = [future for _, future in ended if future.status == "finished"]
        try:
            found: list[Result] = self._client.gather(finished)
        except (OSError, CancelledError):  # the connection ended during the transfer
            raise self._gone("the scheduler is gone") from None
        tasks = {task.key: task for task, _ in ended}
        refused = [result for result in found if self._is_refused(result)]
        for result in refused:
            found.remove(result)
            self.submit(tasks[result.key])
        for task, future in ended:
            if future.status != "finished":
                found += self._failed(task, future)
        return found

    def _is_refused(self, result: Result) -> bool:
        """Return whether a worker's machine lacked something, and another try is left."""
        is_fault = isinstance(result, Fault) and result.may_pass
        return is_fault and self._tries[result.key] < _MOST_TRIES

    def _ended(self) -> list[tuple[Task, Any]]:
        """Wait briefly and return the tasks that have ended, each with its future."""
        ended: list[tuple[Task, Any]] = []
        wait = _WAIT_SECONDS
        while True:
            try:
                key, future = self._done.get(timeout=wait) if wait else self._done.get_nowait()
            except queue.Empty:
                return ended
            wait = 0.0
            task, _, _ = self._tasks.pop(key)
            ended.append((task, future))

    def _failed(self, task: Task, future: Any) -> list[Fault]:
        """Submit a failed task again; after `_MOST_TRIES` tries return a fault."""
        if future.status != "error" or self._client.status != "running":
            raise self._gone("the scheduler is gone")
        if self._tries[task.key] < _MOST_TRIES:
            self.submit(task)
            return []
        return [Fault(task.key, f"the cluster could not grade this: {future.exception()}")]

    def _look(self) -> None:
        """Raise UsageError without a scheduler, or without a worker for `_LOST_SECONDS`."""
        now = time.monotonic()
        if self._client.status not in ("running", "connecting"):
            raise self._gone("the scheduler is gone")
        if self._threads:
            self._seen_worker = now
        elif now - self._seen_worker > _LOST_SECONDS:
            raise self._gone("no worker is left")

    def _gone(self, what: str) -> UsageError:
        advice = "Run the same command again; finished grades are kept."
        return UsageError(Complaint(f"Dask at {self._address}: {what}", advice=advice))

    @property
    def _threads(self) -> int:
        """The number of the cluster's threads, cached for `_COUNT_SECONDS`."""
        now = time.monotonic()
        if now - self._counted > _COUNT_SECONDS and self._client.status == "running":
            self._counted, self._count = now, sum(self._client.nthreads().values())
        return self._count

    def _install(self, plugin: _Plugin) -> None:
        try:
            self._client.register_plugin(plugin)
        except GraderError:
            raise
        except Exception as error:  # a worker may raise any exception during `setup`
            raise _unfit(self._address, error) from None


def reach(address: str, running: RunningOptions) -> tuple[Reached, str]:
    """Return what every worker of a cluster reaches, and a line for the user.

    UsageError when they differ, or as `DaskCluster` does.
    """
    client = _client(address)
    try:
        found: dict[str, tuple[Reached, str]] = client.run(
            runners.reach, running.runner, running.require_isolation
        )
    except GraderError:
        raise
    except Exception as error:  # a worker may lack this package
        raise _unfit(address, error) from None
    finally:
        client.close()
    if not found:
        raise UsageError(f"Dask at {address}: it has no worker")
    if len({reached for reached, _ in found.values()}) > 1:
        each = "; ".join(f"{worker} {reached.runner}" for worker, (reached, _) in found.items())
        message = f"Dask at {address}: the workers isolate differently: {each}"
        raise UsageError(Complaint(message, advice="Use equal workers, or choose a --runner."))
    return next(iter(found.values()))


def _client(address: str) -> Any:
    """Connect to a scheduler. Raises UsageError."""
    if distributed is None:
        raise UsageError(
            Complaint(
                "--dask needs the package distributed",
                advice="Run: python -m pip install 'distributed>=2024.8'",
            )
        )
    # This module reports lost workers and schedulers, so the client's log is not needed.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise UsageError(f"no Dask scheduler at {address}: {error}") from None


def _unfit(address: str, error: Exception) -> UsageError:
    advice = "Install the same version of this package on every worker."
    return UsageError(
        Complaint(f"Dask at {address}: a worker cannot grade: {error}", advice=advice)
    )


class _Plugin(_WorkerPlugin):  # type: ignore[misc]
    """Starts a grading thread on every worker, also on those that join later."""

    def __init__(self, name: str, snapshots: Sequence[Snapshot], reached: Reached) -> None:
        self.name = name
        self._snapshots = tuple(snapshots)
        self._reached = reached
        self._version = grader_version()
        self.grading_thread: GradingThread | None = None

    def setup(self, worker: Any) -> None:
        """Unpack the snapshots and start a runner. RuntimeError for another grader version."""
        if grader_version() != self._version:
            raise RuntimeError(f"its grader is {grader_version()}, ours is {self._version}")
        # Dask clears the folder of a worker that was killed.
        threads = worker.state.nthreads
        grader = TaskGrader(self._snapshots, self._reached, worker.local_directory, threads)
        self.grading_thread = GradingThread(grader)

    def teardown(self, worker: Any) -> None:  # noqa: ARG002 (Dask passes it by name)
        """End the runner and remove the files."""
        if self.grading_thread:
            self.grading_thread.close()


class GradingThread:
    """A thread that owns a `TaskGrader` and grades the tasks of a worker's threads."""

    def __init__(self, task_grader: TaskGrader) -> None:
        self._grader = task_grader
        self._inbox = Inbox()
        self._futures: dict[int, Future[Result]] = {}
        """`id` of the task -> future of its result"""
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def submit(self, task: Task) -> Future[Result]:
        """Queue a task and return the future of its result."""
        future: Future[Result] = Future()
        self._futures[id(task)] = future
        self._inbox.put(task)
        return future

    def close(self) -> None:
        """End the runner and remove the files; pending futures get no result."""
        self._inbox.close()
        self._thread.join()
        self._grader.close()

    def _serve(self) -> None:
        serve(self._grader, self._inbox, self._deliver)

    def _deliver(self, ended: list[tuple[Task, Result]]) -> None:
        for task, result in ended:
            self._futures.pop(id(task)).set_result(result)


def _grade(task: Task, name: str) -> Result:
    """Grade a task on a worker; one that may hang frees its thread of the worker (`secede`)."""
    grading_thread: GradingThread = distributed.get_worker().plugins[name].grading_thread
    future = grading_thread.submit(task)
    try:
        return future.result(SLOW_SECONDS)
    except TimeoutError:
        distributed.secede()
        return future.result()
