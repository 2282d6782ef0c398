"""Measure at the start of a zygote which layers of the sandbox work on this system.

One forked child enters the layers one after the other. Before and after each layer it makes the
attempts that the layer must refuse; see `attempts`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import struct
from collections.abc import Callable, Iterable, Iterator

from .. import interpreter, protocol
from . import enter, landlock, privileges, seccomp
from .attempts import (
    ATTEMPTS,
    HELD,
    LANDLOCK,
    LIMITS,
    PRIVILEGES,
    SECCOMP,
    TRIAL_CPU_SECONDS,
    TRIAL_FILE_BYTES,
    TRIAL_MEMORY_MB,
    Attempt,
    Scratch,
    outcome,
)
from .kernel import SUPPORTED

_FOLDERS = ("/dev/shm", "/tmp", "/var/tmp")  # noqa: S108 # for a file without a name
_BITS = {
    (LANDLOCK, "files"): protocol.LANDLOCK,
    (LANDLOCK, "truncate"): protocol.TRUNCATE,
    (LANDLOCK, "TCP"): protocol.TCP,
    (LANDLOCK, "devices"): protocol.DEVICES,
    (LANDLOCK, "signals"): protocol.SIGNALS,
    (SECCOMP, ""): protocol.SECCOMP,
    (LIMITS, ""): protocol.LIMITS,
    (PRIVILEGES, ""): protocol.PRIVILEGES,
}
_LACKS = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
"""answers that say nothing about a layer: the machine lacks something for the moment"""
_RESULT = struct.Struct("=I")


def measure() -> int:
    """Return the layers that work here, as bits of `protocol`.

    OSError when the trial itself could not be made, such as for a lack of memory.
    """
    if not SUPPORTED:
        return 0
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            os.write(writing, _RESULT.pack(_in_child()))
        finally:
            os._exit(0)
    os.close(writing)
    data = os.read(reading, _RESULT.size)
    os.close(reading)
    os.waitpid(child, 0)
    if not data:
        raise OSError(errno.EAGAIN, "the trial of the sandbox could not be made")
    return int(_RESULT.unpack(data)[0])


def trial_limits() -> dict[int, int]:
    """Return the resource limits under which attempts are made."""
    return interpreter.limits_of(TRIAL_MEMORY_MB, TRIAL_CPU_SECONDS, TRIAL_FILE_BYTES)


def _in_child() -> int:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with _scratch() as scratch:
        steps: dict[str, Callable[[], object]] = {
            LIMITS: lambda: interpreter.lower_limits(trial_limits()),
            PRIVILEGES: privileges.drop,
            LANDLOCK: lambda: landlock.restrict(enter.readable()),
            SECCOMP: lambda: seccomp.Filter().enter(os.getpid()),
        }
        found = 0
        for layer, step in steps.items():
            tried = [one for one in ATTEMPTS if one.layer == layer and one.at_start]
            before = {one: outcome(one.act, scratch) for one in tried}
            try:
                step()
            except OSError:  # this layer is not to be had
                continue
            after = {one: outcome(one.act, scratch) for one in tried}
            if layer in (LANDLOCK, SECCOMP) and _LACKS & {*before.values(), *after.values()}:
                raise OSError(errno.EAGAIN, layer)
            found |= _proved(tried, before, after)
        return found


def _proved(tried: Iterable[Attempt], before: dict[Attempt, int], after: dict[Attempt, int]) -> int:
    """Return the bits of those groups whose attempts are all refused, one by the layer alone."""
    found = 0
    groups: dict[int, list[Attempt]] = {}
    for one in tried:
        groups.setdefault(_BITS[one.layer, one.group], []).append(one)
    for bit, members in groups.items():
        refused = all(after[one] in one.refusals for one in members)
        if refused and any(
            after[one] == HELD or before[one] not in one.refusals for one in members
        ):
            found |= bit
    return found


@contextlib.contextmanager
def _scratch() -> Iterator[Scratch]:
    """Yield objects without names in the file system for the attempts of a start."""
    import _socket

    file = _nameless_file()
    name = f"grader-{os.getpid()}"
    with contextlib.ExitStack() as stack:
        port, abstract = 0, ""
        for family, address in (
            (_socket.AF_INET, ("127.0.0.1", 0)),
            (_socket.AF_UNIX, f"\0{name}"),
        ):
            listener = _socket.socket(family, _socket.SOCK_STREAM)
            stack.callback(listener.close)
            with contextlib.suppress(OSError):  # no network here
                listener.bind(address)
                listener.listen()
                if family == _socket.AF_UNIX:
                    abstract = name
                else:
                    port = listener.getsockname()[1]
        yield Scratch(
            file=f"/proc/self/fd/{file}",
            folder="",
            hidden="/proc/self/status",
            hidden_folder="/",
            neighbour=os.getppid(),
            port=port,
            abstract=abstract,
            descriptor=file,
        )


def _nameless_file() -> int:
    for folder in _FOLDERS:
        with contextlib.suppress(OSError):
            return os.open(folder, os.O_RDWR | os.O_TMPFILE, 0o600)
    return os.open(os.devnull, os.O_RDWR)
