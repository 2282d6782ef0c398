"""Set up a child's interpreter: built-ins, modules, stack traces and resource limits."""

from __future__ import annotations

import _imp
import builtins
import contextlib
import ctypes
import faulthandler
import gc
import io
import os
import signal
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import protocol

_ARG_START = 45
"""place of `arg_start` in /proc/PID/stat after the name of the program; see proc(5)"""

_alive = b""


def like_a_script() -> None:
    """Add `exit` and `quit`, which `-S` leaves out, and make the output streams UTF-8."""
    from _sitebuiltins import Quitter

    for name in ("exit", "quit"):
        setattr(builtins, name, Quitter(name, "Ctrl-D"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)


def forget_the_grader() -> None:
    """Remove the grader's modules and paths from `sys`, and write no bytecode.

    This prevents accidental access only: functions that are in use still refer to their modules.
    """
    package = __name__.rpartition(".")[0]
    (home,) = sys.modules[package].__path__
    for path in [path for path in sys.path_importer_cache if f"{path}/".startswith(f"{home}/")]:
        del sys.path_importer_cache[path]
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.dont_write_bytecode = True


def forget_the_course() -> None:
    """Forget the grader, and its folder, which may lie in the course.

    Code and modules name the folder, and so does the command line. The folders of installed
    packages stay, since imports need them.
    """
    package = __name__.rpartition(".")[0]
    (home,) = sys.modules[package].__path__
    modules = [one for name, one in sys.modules.items() if f"{name}.".startswith(f"{package}.")]
    modules.append(sys.modules["__main__"])
    forget_the_grader()
    frame: types.FrameType | None = sys._getframe()
    codes = [one.__code__ for one in gc.get_objects() if isinstance(one, types.FunctionType)]
    while frame:
        codes.append(frame.f_code)
        frame = frame.f_back
    for code in codes:
        if code.co_filename.startswith(home):
            short = f"grader/child{code.co_filename[len(home) :]}"
            _imp._fix_co_filename(code, short)  # type: ignore[attr-defined]
    for module in modules:
        for key in ("__file__", "__cached__", "__spec__", "__loader__", "__path__"):
            vars(module).pop(key, None)
    _erase_arguments()


def _erase_arguments() -> None:
    """Overwrite the command line but for its first word, in the kernel's and Python's memory."""
    with contextlib.suppress(FileNotFoundError):  # no /proc, which alone shows the kernel's copy
        words = Path("/proc/self/cmdline").read_bytes()
        fields = Path("/proc/self/stat").read_text("ascii", "replace").rpartition(")")[2].split()
        first = words.find(b"\0") + 1
        ctypes.memset(int(fields[_ARG_START]) + first, 0, len(words) - first)
    count, copies = ctypes.c_int(), ctypes.POINTER(ctypes.c_wchar_p)()
    ctypes.pythonapi.Py_GetArgcArgv(ctypes.byref(count), ctypes.byref(copies))
    addresses = ctypes.cast(copies, ctypes.POINTER(ctypes.c_void_p))
    for i in range(1, count.value):
        word, address = copies[i], addresses[i]
        if word and address:
            ctypes.memset(address, 0, len(word) * ctypes.sizeof(ctypes.c_wchar))


def trace_on_request(descriptor: int, marker: str) -> None:
    """Write the learner's stack on a crash and, where there are signals, on SIGUSR1.

    `faulthandler` writes the stack even during a C call. The marker after the stack is written
    by the interpreter, so it appears for a Python loop and not for one long C call.
    """
    faulthandler.enable(descriptor, all_threads=False)
    if sys.platform == "win32":
        return
    mark_traces(marker)

    def answer(*_: Any) -> None:
        with contextlib.suppress(OSError):  # the learner may have closed it
            os.write(descriptor, _alive)

    signal.signal(signal.SIGUSR1, answer)
    faulthandler.register(signal.SIGUSR1, descriptor, all_threads=False, chain=True)


def mark_traces(marker: str) -> None:
    """Set the request's marker that follows a trace."""
    global _alive
    _alive = f"\0{marker}+\0".encode("ascii")


def limits_of(
    memory_mb: int, cpu_seconds: int, file_bytes: int = protocol.FILE_LIMIT
) -> dict[int, int]:
    """Return the value of each resource limit (`getrlimit(2)`): bytes, seconds or a count.

    The limit of CPU time is a second line of defence behind the grader's wall-clock limits.
    Windows has no such limits.
    """
    if sys.platform == "win32":
        return {}
    import resource

    return {
        resource.RLIMIT_AS: memory_mb * 2**20,
        resource.RLIMIT_CPU: cpu_seconds,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_NOFILE: protocol.DESCRIPTORS_LIMIT,
        resource.RLIMIT_CORE: 0,
    }


def apply_limits(limits: dict[int, int]) -> None:
    """Set limits on this process that it cannot raise again; skip those the system refuses.

    A process beyond its CPU time gets SIGXCPU, and SIGKILL a second later if it ignores that.
    """
    if sys.platform == "win32":
        return
    import resource

    for limit, value in limits.items():
        with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
            resource.setrlimit(limit, (value, value + (limit == resource.RLIMIT_CPU)))


def lower_limits(limits: dict[int, int]) -> None:
    """Lower the soft limits of this process only, so that it can raise them again."""
    if sys.platform == "win32":
        return
    import resource

    for limit, value in limits.items():
        hard = resource.getrlimit(limit)[1]
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (lowest, hard))


@contextlib.contextmanager
def inherited_limits(limits: dict[int, int]) -> Iterator[None]:
    """Lower this process's soft limits, so that a child forked in this context inherits them.

    The filter of system calls must prevent the child from raising them again.
    """
    if sys.platform == "win32":
        yield
        return
    import resource

    own = {limit: resource.getrlimit(limit) for limit in limits}
    try:
        lower_limits(limits)
        yield
    finally:
        for limit, value_pair in own.items():
            resource.setrlimit(limit, value_pair)
