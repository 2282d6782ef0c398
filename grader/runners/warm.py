"""The warm process: numpy is loaded, nothing of the grader's that matters; it forks children.

It never sees a submission: jobs go from the grader to a child through the child's slot. It ends
when the grader closes the pipe of commands, by intention or by dying; its children die with it.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import traceback

from . import slots
from .confine import enter, layers


def main(word: str) -> None:
    """Try the sandbox, load numpy, enter what can be inherited, and serve commands."""
    commands, events, *rest = map(int, word.split(","))
    os.chdir("/")
    os.umask(0o077)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the grader's to answer
    working = enter.trial()
    os.write(events, slots.EVENT.pack(slots.TRIED, 0, 0, working, 0))
    if working != layers.LANDLOCK | layers.SECCOMP:
        os._exit(0)
    Warm(commands, events, rest).serve()


class Warm:
    """Forks, kills and reaps children, one per slot."""

    def __init__(self, commands: int, events: int, rest: list[int]) -> None:
        from . import cell, manners

        self._cell = cell
        self._commands, self._events = commands, events
        self._slots = [cell.Slot(*rest[i : i + 4]) for i in range(0, len(rest), 4)]
        self._children: dict[int, int] = {}
        """pid -> slot"""
        for module in ("numpy.ma", "numpy.random", "numpy.fft", "numpy.linalg", "dataclasses"):
            __import__(module)
        import numpy as np

        np.random.seed(0)
        np.ones((64, 64)) @ np.ones((64, 64))
        manners.forget_the_grader()
        manners.like_a_script()
        os.dup2(2, cell.TRACE, inheritable=False)
        manners.trace_on_request(cell.TRACE, "")
        enter.outer()
        gc.collect()
        gc.freeze()

    def serve(self) -> None:
        """Obey commands until the grader is gone."""
        woken, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self._commands, select.POLLIN)
        poll.register(woken, select.POLLIN)
        while True:
            for descriptor, _ in poll.poll():
                if descriptor == woken:
                    os.read(woken, 4096)
                    self._reap()
                elif not self._obey(os.read(self._commands, slots.COMMAND.size * 64)):
                    os._exit(0)

    def _obey(self, data: bytes) -> bool:
        for what, slot, _, memory_mb, cpu_seconds in slots.COMMAND.iter_unpack(data):
            if what == slots.FORK:
                self._fork(slot, memory_mb, cpu_seconds)
                continue
            number = signal.SIGKILL if what == slots.KILL else signal.SIGUSR1
            for pid, its_slot in self._children.items():
                if its_slot == slot:
                    os.kill(pid, number)
        return bool(data)

    def _fork(self, slot: int, memory_mb: int, cpu_seconds: int) -> None:
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError as problem:
            self._tell(slots.FAILED, slot, problem.errno or 0, 0)
            return
        if pid:
            self._children[pid] = slot
            return
        try:
            signal.set_wakeup_fd(-1)
            self._cell.live(self._slots[slot], memory_mb, cpu_seconds, parent)
        except BaseException:  # before the job came: a layer could not be entered
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(70)

    def _reap(self) -> None:
        while self._children:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if not pid:
                return
            slot = self._children.pop(pid)
            self._tell(slots.EXITED, slot, os.waitstatus_to_exitcode(status), usage.ru_maxrss)

    def _tell(self, what: int, slot: int, status: int, peak: int) -> None:
        os.write(self._events, slots.EVENT.pack(what, slot, 0, status, peak))
