"""Start fresh interpreters for learner code. Cheap to import: it loads neither numpy nor typing's
relatives, so the command line can start the warm process before its own heavy imports.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

SLOTS = 3
"""children of a warm process that was started early: one at work, one ready, one ending"""


class Launched:
    """A started warm process and the grader's ends of what it shares with it.

    `slots` holds per slot the descriptors of its memory, its output, and two event counters: `go`
    (the request is there) and `done` (the child has answered).
    """

    def __init__(self, pid: int, commands: int, events: int, log: int, slots: list[list[int]]):
        self.pid, self.commands, self.events, self.log, self.slots = (
            pid,
            commands,
            events,
            log,
            slots,
        )


_early: list[Launched] = []


def start(count: int = SLOTS) -> None:
    """Start a warm process now, for the `ZygoteRunner` that will be made later; Linux only.

    Starting twice, or where it cannot work, does nothing: the runner will say why.
    """
    if not _early and can_start():
        try:
            _early.append(launch(count))
        except OSError:
            return


def can_start() -> bool:
    """Return whether this system has what a warm process needs to be started."""
    return sys.platform == "linux" and hasattr(os, "memfd_create") and hasattr(os, "eventfd")


def take(count: int = SLOTS) -> Launched:
    """Return the warm process that was started early, or a new one; OSError when none starts."""
    while _early:
        launched = _early.pop()
        if len(launched.slots) >= count:
            return launched
        close(launched)
    return launch(count)


def launch(count: int) -> Launched:
    """Start a warm process with `count` slots."""
    import fcntl

    from grader.child import protocol

    opened: list[int] = []

    def high(descriptor: int) -> int:
        """Move a descriptor above those that the child gives fixed numbers."""
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 64)
        os.close(descriptor)
        opened.append(moved)
        return moved

    commands_end, commands = map(high, os.pipe())
    events, events_end = map(high, os.pipe())
    log = high(os.memfd_create("grader-log"))
    shared = []
    for _ in range(count):
        memory = high(os.memfd_create("grader-slot", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING))
        os.ftruncate(memory, protocol.MEMORY_SIZE)
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, seals)
        output = high(os.memfd_create("grader-output"))
        fcntl.fcntl(output, fcntl.F_SETFL, os.O_APPEND | os.O_RDWR)
        go = high(os.eventfd(0, os.EFD_CLOEXEC))
        done = high(os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK))
        shared.append([memory, output, go, done])
    given = [commands_end, events_end, *(number for slot in shared for number in slot)]
    actions: list[tuple[int, ...]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),  # type: ignore[list-item]
        (os.POSIX_SPAWN_DUP2, log, 1),
        (os.POSIX_SPAWN_DUP2, log, 2),
        *((os.POSIX_SPAWN_DUP2, number, number) for number in given),
    ]
    arguments = command("zygote", ",".join(map(str, given)))
    try:
        pid = os.posix_spawn(
            sys.executable, arguments, environment("/"), file_actions=actions, setsid=True
        )
    except BaseException:
        for number in opened:
            os.close(number)
        raise
    os.close(commands_end)
    os.close(events_end)
    return Launched(pid, commands, events, log, shared)


def close(launched: Launched) -> None:
    """End a warm process and its children, wait for it, and give back what was shared."""
    os.close(launched.commands)
    os.kill(launched.pid, 9)
    os.waitpid(launched.pid, 0)
    for number in (launched.events, launched.log, *(n for slot in launched.slots for n in slot)):
        os.close(number)


def command(mode: str, word: str = "-") -> list[str]:
    """Return the command of a child: isolated from the user's settings, no `.pth` files."""
    script = Path(__file__).parents[1] / "child" / "__main__.py"
    return [sys.executable, "-I", "-S", str(script), mode, word, *sites()]


def sites() -> list[str]:
    """Return the folders with installed packages that this interpreter uses."""
    found = [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    numpy = importlib.util.find_spec("numpy")
    home = str(Path(numpy.origin).parents[1]) if numpy and numpy.origin else ""
    return found if home in found or not home else [*found, home]


def environment(scratch: str) -> dict[str, str]:
    """Return a child's environment: nothing of the user's but what the system needs."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "PATH") if name in os.environ}
    return kept | {
        "HOME": scratch,
        "TMPDIR": scratch,
        "TEMP": scratch,
        "TMP": scratch,
        "LANG": "C.UTF-8",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "VECLIB_MAXIMUM_THREADS": "1",
        "MPLBACKEND": "Agg",
    }
