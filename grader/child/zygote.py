"""The zygote: a process that has loaded NumPy and the child package only, and forks children.

It never reads a submission: the grader writes a request into the slot of a child. The zygote and
its children end when the pipe of commands is closed, which also happens when the grader dies.
"""

from __future__ import annotations

import gc
import itertools
import os
import select
import signal
import sys
import traceback
from pathlib import Path

from . import interpreter, protocol
from .sandbox import enter, landlock, root, seccomp, tasks, trial


def main(word: str) -> None:
    """Try the sandbox, load NumPy, enter the layers that children inherit, and serve commands."""
    commands, events, *rest = map(int, word.split(","))
    os.chdir("/")
    os.umask(0o077)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the grader handles Ctrl-C
    if not Path("/proc/self/fd").exists():
        os.write(events, protocol.EVENT.pack(protocol.TRIED, 0, 0, 0, 0, 0))
        os._exit(0)
    _keep(sorted((commands, events, *rest)))
    limit = tasks.TaskLimit()
    kind = root.find(enter.readable(), limit)
    working = trial.measure() | protocol.PROC | (protocol.PATHS if kind else 0)
    tried = protocol.EVENT.pack(protocol.TRIED, landlock.abi(), limit.way, working, 0, 0)
    os.write(events, tried)
    mandatory = protocol.LANDLOCK | protocol.SECCOMP
    if working & mandatory != mandatory:
        os._exit(0)
    Zygote(commands, events, rest, limit, kind).serve()


def _keep(descriptors: list[int]) -> None:
    """Close all inherited descriptors but 0, 1, 2 and `descriptors`, which are sorted."""
    last = max(int(path.name) for path in Path("/proc/self/fd").iterdir())
    for before, after in itertools.pairwise([2, *descriptors, last + 1]):
        os.closerange(before + 1, after)


class Zygote:
    """Forks, kills and reaps children, one per slot.

    It does not load `numpy.random` and `numpy.ma`: this would save 12 ms for the few files that
    use them, and cost every other file a tenth of its time and the processes 6 MiB of memory.
    """

    def __init__(
        self, commands: int, events: int, rest: list[int], limit: tasks.TaskLimit, kind: int
    ) -> None:
        from . import calling, forked

        self._forked = forked
        self._commands, self._events = commands, events
        self._slots = [forked.SlotDescriptors(*rest[i : i + 4]) for i in range(0, len(rest), 4)]
        self._children: dict[int, int] = {}
        """slot -> pid"""
        self._limit = limit
        self._filter = seccomp.Filter(threads=limit.way != protocol.NO_THREADS)
        self._poll = select.poll()
        interpreter.forget_the_course()
        interpreter.like_a_script()
        calling.collector.install()
        os.dup2(2, forked.TRACE, inheritable=False)
        interpreter.trace_on_request(forked.TRACE, "")
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # ends a child whose output is full
        self._ended, wake = os.pipe()  # after TRACE, which has the lowest number
        """readable after the end of a child"""
        for end in (self._ended, wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        if kind:
            root.enter(enter.readable(), kind)
        enter.outer(limit.capabilities)
        limit.listen()
        self._last = max(commands, events, *rest, limit.descriptor, self._ended, wake)
        """the greatest number of an open descriptor"""
        gc.collect()
        gc.freeze()

    def serve(self) -> None:
        """Run commands and reap children until the grader closes the pipe."""
        for descriptor in (self._commands, self._ended):
            self._poll.register(descriptor, select.POLLIN)
        if self._limit.descriptor >= 0:
            self._poll.register(self._limit.descriptor, select.POLLIN)
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._ended:
                    self._reap()
                elif descriptor == self._limit.descriptor:
                    self._limit.answer()
                elif not self._obey(os.read(self._commands, protocol.COMMAND.size * 64)):
                    os._exit(0)

    def _obey(self, data: bytes) -> bool:
        for what, slot, early, memory_mb, cpu_seconds in protocol.COMMAND.iter_unpack(data):
            if what == protocol.FORK:
                self._fork(slot, bool(early), memory_mb, cpu_seconds)
            elif slot in self._children:
                number = signal.SIGKILL if what == protocol.KILL else signal.SIGUSR1
                os.kill(self._children[slot], number)
        return bool(data)

    def _fork(self, slot: int, early: bool, memory_mb: int, cpu_seconds: int) -> None:
        memory_mb += protocol.MEMORY_SIZE // 2**20
        parent = os.getpid()
        try:
            limits = interpreter.limits_of(memory_mb, cpu_seconds, protocol.OUTPUT_LIMIT)
            with interpreter.inherited_limits(limits):
                pid = os.fork()
                if not pid:
                    self._be_child(slot, early, parent)
        except OSError as error:
            self._tell(protocol.FAILED, slot, error.errno or 0)
            return
        self._children[slot] = pid
        self._limit.started(pid)

    def _be_child(self, slot: int, early: bool, parent: int) -> None:
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            self._forked.live(
                self._slots[slot], self._last, self._limit, self._filter, early, parent
            )
        except BaseException:  # before the request: a layer of the sandbox refused to start
            traceback.print_exc(file=sys.stderr)
        finally:
            os._exit(70)

    def _reap(self) -> None:
        """Report every child that has ended. (A pidfd for each takes Linux 5.3.)"""
        os.read(self._ended, 4096)
        for slot, pid in list(self._children.items()):
            ended, status, usage = os.wait4(pid, os.WNOHANG)
            if ended:
                del self._children[slot]
                self._limit.ended(pid)
                exit_code = os.waitstatus_to_exitcode(status)
                used = int(1000 * (usage.ru_utime + usage.ru_stime))
                self._tell(protocol.EXITED, slot, exit_code, usage.ru_maxrss, used)

    def _tell(self, what: int, slot: int, status: int, peak: int = 0, used: int = 0) -> None:
        os.write(self._events, protocol.EVENT.pack(what, slot, 0, status, peak, used))
