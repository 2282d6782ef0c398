"""Make every attempt of the sandbox's table on this machine and print the results as JSON.

`grader doctor` and the tests run this in a fresh interpreter: `__main__.py examine FOLDER SITE...`.
FOLDER is an empty folder for the files of the attempts.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import resource
import select
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from . import interpreter, protocol
from .sandbox import attempts, enter, kernel, landlock, privileges, root, seccomp, tasks, trial
from .sandbox.attempts import Attempt, Scratch

_RESULT = struct.Struct("=i")
_NO_ANSWER = -1000
_ABSENT = 2**15
"""a descriptor that is not open"""


def main(word: str) -> None:
    """Print one JSON object; its keys are documented in `grader.runners.examination`."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))  # most shells set 0 already
    limit = tasks.TaskLimit()
    kind = root.find(enter.readable(), limit)
    found = {
        "working": trial.measure() | (protocol.PATHS if kind else 0),
        "abi": landlock.abi(),
        "task_limit": limit.way,
        "attempts": list(_examine(Path(word), kind)) if kernel.SUPPORTED else [],
    }
    sys.stdout.write(json.dumps(found))


def _examine(folder: Path, kind: int) -> Iterator[list[object]]:
    """Yield for each attempt its layer, its name, and what was answered without and with it.

    The answer is an error number, minus a signal's number, 0 when the attempt was allowed,
    `attempts.HELD`, or None when it was not made.
    """
    import _socket

    abi = landlock.abi()
    setups = _SETUPS | {
        attempts.PATHS: lambda s: root.enter([*enter.readable(), s.folder], kind),
    }
    tcp = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    abstract = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    name = f"grader-{os.getpid()}"
    with contextlib.suppress(OSError):
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
    abstract.bind(f"\0{name}")
    abstract.listen()
    for number, one in enumerate(attempts.ATTEMPTS):
        answers: list[int | None] = []
        for with_it in (False, True):
            too_old = one.layer == attempts.LANDLOCK and one.since > abi
            no_root = one.layer == attempts.PATHS and not kind
            if too_old or no_root or (one.with_layer_only and not with_it):
                answers.append(None)
                continue
            made = _make_files(folder / f"{number}-{with_it:d}")
            scratch = made._replace(port=tcp.getsockname()[1], abstract=name)
            with _neighbour(one, with_it) as neighbour:
                scratch = scratch._replace(neighbour=neighbour)
                setup = setups[one.layer] if with_it else _CONTROLS.get(one.layer, _nothing)
                answers.append(_tried(setup, one, scratch))
        yield [one.layer, one.name, one.group, *answers, list(one.refusals), one.since]
    yield [
        attempts.PARENT,
        "outlive its parent",
        "",
        *map(_outlives, (False, True)),
        [errno.ESRCH],
        1,
    ]


def _make_files(folder: Path) -> Scratch:
    inside, outside = folder / "inside", folder / "outside"
    for path in (inside / "empty", outside):
        path.mkdir(parents=True)
    for path in (inside / "file", outside / "secret", inside / "program"):
        path.write_bytes(b"text")
    (inside / "program").chmod(0o700)
    (outside / "secret-link").symlink_to("secret")
    return Scratch(
        file=str(inside / "file"),
        folder=str(inside),
        hidden=str(outside / "secret"),
        hidden_folder=str(outside),
        neighbour=0,
        port=0,
        abstract="",
        descriptor=0,
    )


def _nothing(_: Scratch) -> None:
    return


def _limits(_: Scratch) -> None:
    interpreter.lower_limits(trial.trial_limits())


def _without_capabilities(_: Scratch) -> None:
    privileges.no_new_privileges()
    privileges.keep_capabilities()


def _landlock(scratch: Scratch) -> None:
    privileges.drop()
    landlock.restrict([*enter.readable(), scratch.folder])


def _seccomp(_: Scratch) -> None:
    privileges.no_new_privileges()
    seccomp.Filter().enter(os.getpid())


_SETUPS: dict[str, Callable[[Scratch], None]] = {
    attempts.LIMITS: _limits,
    attempts.PRIVILEGES: lambda _: privileges.drop(),
    attempts.MEMORY: _without_capabilities,
    attempts.DESCRIPTORS: lambda _: os.closerange(3, 256),
    attempts.LANDLOCK: _landlock,
    attempts.SECCOMP: _seccomp,
}
_CONTROLS = {attempts.MEMORY: _without_capabilities, attempts.LANDLOCK: lambda _: privileges.drop()}
"""what is done where the layer is left out, so that only the layer differs"""


@contextlib.contextmanager
def _neighbour(one: Attempt, with_it: bool) -> Iterator[int]:
    """Yield the id of another process, which under `MEMORY` hides its memory `with_it` only."""
    if one.layer != attempts.MEMORY:
        yield os.getpid()
        return
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        if with_it:
            privileges.drop()
        else:
            privileges.no_new_privileges()
            privileges.keep_capabilities()
        os.write(writing, b"1")
        while True:
            signal.pause()
    os.read(reading, 1)
    try:
        yield child
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)


def _tried(setup: Callable[[Scratch], None], one: Attempt, scratch: Scratch) -> int:
    """Return the answer to an attempt, made in a forked child after `setup`."""
    reading, writing = os.pipe()
    descriptor = os.open(scratch.file, os.O_RDONLY)
    os.set_blocking(writing, False)
    child = os.fork()
    if child == 0:
        try:
            high = 0
            if one.layer == attempts.DESCRIPTORS:
                high = 300
                os.dup2(writing, high)
            setup(scratch)
            answer = attempts.outcome(one.act, scratch._replace(descriptor=descriptor))
            os.write(high or writing, _RESULT.pack(answer))
        finally:
            os._exit(0)
    os.close(writing)
    os.close(descriptor)
    data = os.read(reading, _RESULT.size)
    os.close(reading)
    _, status = os.waitpid(child, 0)
    if data:
        return int(_RESULT.unpack(data)[0])
    return -os.WTERMSIG(status) if os.WIFSIGNALED(status) else _NO_ANSWER


def _outlives(with_it: bool) -> int:
    """Return ESRCH when a process ends because its parent was killed, else 0."""
    reading, writing = os.pipe()
    middle = os.fork()
    if middle == 0:
        parent = os.getpid()
        if os.fork() == 0:
            if with_it:
                enter.die_with(parent)
            os.write(writing, _RESULT.pack(os.getpid()))
            while True:
                signal.pause()
        while True:
            signal.pause()
    (grandchild,) = _RESULT.unpack(os.read(reading, _RESULT.size))
    os.close(writing)
    os.kill(middle, signal.SIGKILL)
    os.waitpid(middle, 0)
    ended = bool(select.select([reading], [], [], 0.2)[0])  # the last writer has ended
    os.close(reading)
    if not ended:
        os.kill(grandchild, signal.SIGKILL)
    return errno.ESRCH if ended else 0
