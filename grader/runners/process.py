"""The portable runner: a fresh interpreter for each submission.

It guards against accidents (hangs, crashes, too much output or memory), not against attacks: the
child can read files and use the network with the rights of the user.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from grader.child import protocol
from grader.errors import SHORT, MachineError
from grader.model import Job
from grader.runners import launch
from grader.runners.bell import Bell
from grader.runners.endings import Ending
from grader.runners.scheduler import Scheduler
from grader.runners.scratch import Scratch, start
from grader.runners.supervision import CHUNK, Start

_CHUNK = 2**16
_DRAIN_SECONDS = 0.2
"""how long to wait for pipes that a process of the child may still hold open"""


class ProcessRunner(Scheduler):
    """Runs every submission in its own interpreter. See `Scheduler` for the arguments."""

    name = "process"
    confines = False
    isolation: tuple[str, ...] = ("separate process",)

    def __init__(self, jobs: int = 1, spare: int = 0) -> None:
        super().__init__(jobs, spare)
        self._scratch = Scratch()
        self._bell = Bell()
        adopt_orphans()
        self._was_readable = hide_from_other_processes()
        if sys.platform != "win32":
            self.isolation += ("resource limits",)

    def close(self) -> None:
        """Kill the children of unfinished jobs."""
        for _, supervision in self._active.values():
            supervision.abandon()
        self._active.clear()
        self._bell.close()
        self._scratch.close()
        if self._was_readable:
            show_to_other_processes()

    def _starter(self, _job: Job) -> Start:
        return lambda request, marker: ProcessChild(
            request, marker, self._scratch.folder(), self._bell.ring
        )

    def _listen(self, timeout: float, beside: Connection | None) -> bool:
        watched = [self._bell.heard, *([beside] if beside else [])]
        ready = wait(watched, timeout)
        self._bell.clear()
        return beside in ready

    def __enter__(self) -> ProcessRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ProcessChild:
    """A fresh interpreter with a request: see `supervision.Child`.

    Threads write the request and read frames and output, so no pipe can block the grader. They call
    `ring` when `receive` has something to return. The child has the folder `scratch`, which is
    removed at its end.
    """

    confined = False

    def __init__(
        self,
        request: bytes,
        marker: str,
        scratch: TemporaryDirectory[str],
        ring: Callable[[], None],
    ) -> None:
        self._ring = ring
        self._scratch = scratch
        self._token = Path(self._scratch.name).name
        self._frames = bytearray()
        self._no_more = False
        """whether `receive` returns None after the bytes in `_frames`"""
        self._output = bytearray()
        self._arrived = threading.Condition()
        self._alive = f"\0{marker}+\0".encode("ascii")
        self._ending: Ending | None = None
        self._flooded = False
        self._inherited_peak = _own_peak()
        self._process = self._started(
            launch.command("pipe", str(os.getpid())),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._scratch.name,
            env=launch.environment(self._scratch.name) | {CHILD_VARIABLE: self._token},
            start_new_session=sys.platform != "win32",
            bufsize=0,
        )
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._threads = [
            threading.Thread(target=target, args=arguments, daemon=True)
            for target, *arguments in (
                (self._give, self._process.stdin, request),
                (self._read_frames, self._process.stdout),
                (self._read_output, self._process.stderr),
            )
        ]
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError as error:  # "can't start new thread"
            self._threads = [thread for thread in self._threads if thread.ident]
            self.stop()
            raise MachineError(str(error), SHORT) from None

    def _started(self, command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        try:
            return start(command, **options)
        except MachineError:
            self._scratch.cleanup()
            raise

    def receive(self, timeout: float) -> bytes | None:
        """Return the next bytes of frames; None after their end.

        Returns b"" when none come in `timeout` s, or on a flood.
        """
        with self._arrived:
            self._arrived.wait_for(lambda: self._frames or self._no_more or self._flooded, timeout)
            data = bytes(self._frames)
            self._frames.clear()
            is_over = self._no_more and not data
            self._arrived.notify_all()
        if self._flooded:
            self._kill()
        return None if is_over else data

    def ask_trace(self, timeout: float) -> None:
        """Send SIGUSR1 (not on Windows) and wait at most `timeout` s for the whole stack."""
        if sys.platform != "win32":
            os.kill(self._process.pid, signal.SIGUSR1)  # not reaped yet, so the id is not reused
        with self._arrived:
            self._arrived.wait_for(lambda: self._alive in self._output, timeout)

    def output(self) -> bytes:
        """Return the bytes of stdout and stderr so far."""
        with self._arrived:
            return bytes(self._output)

    def stop(self) -> Ending:
        """Kill the child's session, wait for its end, and remove its scratch folder."""
        if self._ending is None:
            status, peak_mb, cpu_seconds = self._end()
            self._end_frames()
            for thread in self._threads:
                thread.join(_DRAIN_SECONDS)
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                _close(stream)
            self._scratch.cleanup()
            self._ending = Ending(status, peak_mb, self._flooded, cpu_seconds)
        return self._ending

    def release(self) -> None:
        """Stop a child that has answered all calls."""
        self.stop()

    def _end(self) -> tuple[int | None, float, float]:
        """Kill the session; return the child's status, peak MiB and seconds of processor time.

        The status is None if the child had not ended.
        """
        if sys.platform == "win32":
            own = self._process.poll()
            self._kill()
            self._process.wait()
            return own, 0.0, 0.0
        pid = self._process.pid
        patience = time.monotonic() + (_DRAIN_SECONDS if self._no_more else 0.0)
        peek = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while not (ended := os.waitid(os.P_PID, pid, peek)) and time.monotonic() < patience:
            time.sleep(0.001)
        self._kill()
        _, status, usage = os.wait4(pid, 0)
        kill_escapees(self._token)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        unit = 2**20 if sys.platform == "darwin" else 2**10
        # A process is born with the peak of the one that started it (`getrusage(2)`, NOTES).
        peak = usage.ru_maxrss if usage.ru_maxrss > self._inherited_peak else 0
        used = usage.ru_utime + usage.ru_stime
        return self._process.returncode if ended else None, peak / unit, used

    def _kill(self) -> None:
        """Kill the session of the child, which is not reaped yet."""
        if sys.platform == "win32":
            self._process.kill()
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _give(self, stream: IO[bytes], request: bytes) -> None:
        with contextlib.suppress(OSError):
            rest = memoryview(request)
            while rest:
                rest = rest[stream.write(rest) or 0 :]
        _close(stream)

    def _read_frames(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while not self._no_more and (data := stream.read(_CHUNK)):
                with self._arrived:
                    self._arrived.wait_for(lambda: self._no_more or len(self._frames) < CHUNK)
                    self._frames += data
                    self._arrived.notify_all()
                self._ring()
        self._end_frames()

    def _end_frames(self) -> None:
        """Let `receive` return None after the bytes that have come."""
        with self._arrived:
            self._no_more = True
            self._arrived.notify_all()
        self._ring()

    def _read_output(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while not self._flooded and (data := stream.read(_CHUNK)):
                with self._arrived:
                    self._output += data
                    self._arrived.notify_all()
                if len(self._output) > protocol.OUTPUT_LIMIT:
                    self._flooded = True
                    self._ring()
                    # What the child started may hold the pipe of frames open for ever.
                    threading.Timer(_DRAIN_SECONDS, self._end_frames).start()


def _own_peak() -> int:
    """Return the largest resident size of this process so far, in the unit of `ru_maxrss`."""
    if sys.platform == "win32":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with contextlib.suppress(OSError):
            stream.close()


CHILD_VARIABLE = "GRADER_CHILD"
# linux/prctl.h
_PR_GET_DUMPABLE, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 3, 4, 36
_MOST_ROUNDS = 100


def adopt_orphans() -> None:
    """Make this process the parent of its orphaned descendants (`prctl(2)`; Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def hide_from_other_processes() -> bool:
    """Hide this process's memory, environment and folder from processes of its user (Linux).

    Processes of root see them all the same. Returns whether they were readable before.
    """
    if sys.platform != "linux":
        return False
    import ctypes

    libc = ctypes.CDLL(None)
    was_readable: bool = libc.prctl(_PR_GET_DUMPABLE, 0, 0, 0, 0) == 1
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    return was_readable


def show_to_other_processes() -> None:
    """Undo `hide_from_other_processes`."""
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)


def kill_escapees(token: str) -> None:
    """Kill descendants of this process whose environment has `token` (Linux)."""
    if sys.platform != "linux":
        return
    mark = f"{CHILD_VARIABLE}={token}".encode()
    for _ in range(_MOST_ROUNDS):
        found = [pid for pid in _children() if _has(pid, mark)]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _children() -> list[int]:
    pids: list[int] = []
    with contextlib.suppress(OSError):  # there is no /proc
        for task in Path("/proc/self/task").iterdir():
            with contextlib.suppress(OSError):  # the kernel lacks this file, or the thread ended
                pids += map(int, (task / "children").read_text().split())
    return pids


def _has(pid: int, mark: bytes) -> bool:
    try:
        return mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
