"""Start fresh interpreters for learner code.

This module imports neither numpy nor typing, so the command line can start the zygote before its
own slow imports.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

SLOTS = 3
"""slots of a zygote that was started early: for a running, a prepared and an ending child"""


class Launched:
    """A started zygote and the grader's descriptors of the pipes and memory that they share.

    `slots` holds for each slot four descriptors: its memory, its output, and two event counters
    (`eventfd(2)`), `go` (the request is written) and `done` (the child has answered).
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
    """Start a zygote now, for the `ZygoteRunner` that will be made later; Linux only.

    Does nothing when one was started already or none can start; the runner reports the reason.
    """
    if not _early and can_start():
        try:
            _early.append(launch(count))
        except OSError:
            return


def can_start() -> bool:
    """Return whether this system has the calls that start a zygote."""
    return sys.platform == "linux" and hasattr(os, "memfd_create") and hasattr(os, "eventfd")


def take(count: int = SLOTS) -> Launched:
    """Return the zygote that was started early, or a new one; OSError when none starts."""
    while _early:
        launched = _early.pop()
        if len(launched.slots) >= count:
            return launched
        close(launched)
    return launch(count)


def launch(count: int) -> Launched:
    """Start a zygote with `count` slots; OSError when it cannot start."""
    opened: set[int] = set()
    try:
        return _launch(count, opened)
    except BaseException:
        for number in opened:
            os.close(number)
        raise


def _launch(count: int, opened: set[int]) -> Launched:
    """Start a zygote; `opened` has the descriptors to close when this raises."""
    import fcntl

    from grader.child import protocol

    def high(descriptor: int) -> int:
        """Move a descriptor to 64 or above, since the child uses low numbers for its own."""
        opened.add(descriptor)
        moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 64)
        os.close(descriptor)
        opened.symmetric_difference_update((descriptor, moved))
        return moved

    def pipe() -> tuple[int, int]:
        reader, writer = os.pipe()
        opened.add(writer)
        return high(reader), high(writer)

    commands_end, commands = pipe()
    events, events_end = pipe()
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
    pid = os.posix_spawn(
        sys.executable, arguments, environment("/"), file_actions=actions, setsid=True
    )
    os.close(commands_end)
    os.close(events_end)
    return Launched(pid, commands, events, log, shared)


def close(launched: Launched) -> None:
    """Kill a zygote and its children, wait for it, and close the shared descriptors."""
    os.close(launched.commands)
    os.kill(launched.pid, 9)
    os.waitpid(launched.pid, 0)
    for number in (launched.events, launched.log, *(n for slot in launched.slots for n in slot)):
        os.close(number)


def command(mode: str, word: str) -> list[str]:
    """Return the command of a child; `-I` ignores the user's settings, `-S` skips `.pth` files."""
    script = Path(__file__).parents[1] / "child" / "__main__.py"
    return [sys.executable, "-I", "-S", str(script), mode, word, *sites()]


def sites() -> list[str]:
    """Return the folders of this interpreter's installed packages, NumPy's included."""
    found = [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    numpy = importlib.util.find_spec("numpy")
    home = str(Path(numpy.origin).parents[1]) if numpy and numpy.origin else ""
    return found if home in found or not home else [*found, home]


def environment(scratch: str) -> dict[str, str]:
    """Return a child's environment: the user's PATH and SYSTEMROOT and fixed values."""
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
        # glibc reserves 128 MiB of address space for each arena, and RLIMIT_AS counts them.
        "MALLOC_ARENA_MAX": "2",
        "MPLBACKEND": "Agg",
    }
