"""What each layer of the sandbox must refuse, as attempts with the errors that prove it.

An attempt is made in a disposable child under one layer alone, and once without the layer, where
it must not be refused: else it proves nothing. Attempts change only their own process and their
own `Scratch`.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import mmap
import os
import resource
import signal
import stat
from collections.abc import Callable
from typing import NamedTuple

from . import privileges
from .kernel import call

HELD = -1
"""the result of a restriction that can only be read back: it is as set"""

LIMITS, PRIVILEGES, MEMORY = "resource limits", "no capabilities", "unreadable memory"
PARENT, DESCRIPTORS = "ends with its parent", "closed descriptors"
LANDLOCK, SECCOMP, PATHS = "landlock", "seccomp", "hidden paths"

TRIAL_MEMORY_MB, TRIAL_CPU_SECONDS, TRIAL_FILE_BYTES = 300, 1, 4096
"""the resource limits under which attempts are made"""

_RNDGETENTCNT = 0x80045200  # linux/random.h
_PTRACE_ATTACH = 16  # linux/ptrace.h
_NO_ATTRIBUTE = 1 << 30


class HeldError(Exception):
    """Raised by an attempt that reads a restriction back and finds it as set."""


class Scratch(NamedTuple):
    """The files of one attempt, and the processes and sockets that it may touch."""

    file: str
    """may be read below the layer, and nothing else"""
    folder: str
    """contains `file`, the empty folder `empty` and the program `program`"""
    hidden: str
    """an existing file that the layer must hide"""
    hidden_folder: str
    neighbour: int
    """a process outside of the layer, of the same user"""
    port: int
    """a TCP port that listens on 127.0.0.1; 0: none"""
    abstract: str
    """the name of a listening abstract socket; "": none"""
    descriptor: int
    """an open one that is not inherited"""


class Attempt(NamedTuple):
    """One attempt; `group` is the word by which reports name what it proves."""

    name: str
    layer: str
    act: Callable[[Scratch], object]
    refusals: tuple[int, ...]
    """error numbers (minus a signal's number; `HELD`) that show the layer"""
    group: str = ""
    since: int = 1
    """version of Landlock's ABI"""
    at_start: bool = False
    """whether a zygote makes it at each start"""
    with_layer_only: bool = False
    """whether it is not made without the layer, as its success costs too much there"""


def outcome(act: Callable[[Scratch], object], scratch: Scratch) -> int:
    """Return the error number with which an attempt was refused, 0 when it was allowed."""
    try:
        act(scratch)
    except HeldError:
        return HELD
    except MemoryError:
        return errno.ENOMEM
    except ValueError:  # `resource` raises it for EPERM
        return errno.EPERM
    except OSError as error:
        return error.errno or errno.EIO
    return 0


# --- resource limits -----------------------------------------------------------------------------


def _write_beyond(_: Scratch) -> None:
    descriptor = os.memfd_create("grader-trial")
    try:
        os.write(descriptor, bytes(TRIAL_FILE_BYTES))
        os.write(descriptor, b"1")
    finally:
        os.close(descriptor)


def _open_many(scratch: Scratch) -> None:
    opened: list[int] = []
    try:
        for _ in range(70):
            opened.append(os.dup(scratch.descriptor))
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _reads(limit: int, value: int) -> Callable[[Scratch], None]:
    def act(_: Scratch) -> None:
        if resource.getrlimit(limit)[0] == value:
            raise HeldError

    return act


def _spin(_: Scratch) -> None:
    # On a busy machine the kernel counts a process's time for the limit later than `times(2)`.
    ends = os.times().user + TRIAL_CPU_SECONDS + 10
    while os.times().user < ends:
        pass


# --- privileges ----------------------------------------------------------------------------------


def _no_capability(_: Scratch) -> None:
    if not any(privileges.capabilities()) and privileges.no_new():
        raise HeldError


def _empty_bounding_set(_: Scratch) -> None:
    if os.geteuid() or not privileges.bounding_set():  # only root may empty it
        raise HeldError


def _raise_hard_limit(_: Scratch) -> None:
    for hard in (128, 129):
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))


def _raw_socket(_: Scratch) -> None:
    os.close(call("socket", 2, 3, 1))  # AF_INET, SOCK_RAW, IPPROTO_ICMP


def _opens(name: str) -> Callable[[Scratch], None]:
    def act(scratch: Scratch) -> None:
        os.close(os.open(f"/proc/{scratch.neighbour}/{name}", os.O_RDONLY))

    return act


# --- Landlock ------------------------------------------------------------------------------------


def _open(path: str, flags: int) -> None:
    os.close(os.open(path, flags, 0o600))


def _make(kind: int) -> Callable[[Scratch], None]:
    return lambda scratch: os.mknod(f"{scratch.folder}/made", kind | 0o600, 0)


def _execute(scratch: Scratch) -> None:
    try:
        os.execv(f"{scratch.folder}/program", ["program"])
    except OSError as error:
        if error.errno != errno.ENOEXEC:  # it is no program, but may be executed
            raise


def _bind(_: Scratch) -> None:
    import _socket

    with contextlib.closing(_socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)) as one:
        one.bind(("127.0.0.1", 0))


def _connect(scratch: Scratch) -> None:
    import _socket

    with contextlib.closing(_socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)) as one:
        one.connect(("127.0.0.1", scratch.port))


def _connect_abstract(scratch: Scratch) -> None:
    import _socket

    with contextlib.closing(_socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)) as one:
        one.connect(f"\0{scratch.abstract}")


def _ask_device(_: Scratch) -> None:
    descriptor = os.open("/dev/urandom", os.O_RDONLY)
    try:
        fcntl.ioctl(descriptor, _RNDGETENTCNT, bytes(4))
    finally:
        os.close(descriptor)


def _access(scratch: Scratch) -> None:
    if not os.access(scratch.hidden_folder, os.F_OK):
        raise FileNotFoundError(errno.ENOENT, "access")


# --- seccomp -------------------------------------------------------------------------------------


def _fork(_: Scratch) -> None:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _kill_itself(_: Scratch) -> None:
    """SIGKILL to a process that has ended, if this system call is allowed."""
    os.kill(os.getpid(), signal.SIGKILL)


def _set_flags(scratch: Scratch) -> None:
    fcntl.fcntl(scratch.descriptor, fcntl.F_SETFL, os.O_NONBLOCK)


def _set_limits(_: Scratch) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


_ACCES, _PERM = (errno.EACCES,), (errno.EPERM,)
_NOENT, _ROFS = (errno.ENOENT,), (errno.EROFS,)

ATTEMPTS = (
    Attempt(
        "map 400 MiB of memory",
        LIMITS,
        lambda _: mmap.mmap(-1, 400 * 2**20).close(),
        (errno.ENOMEM,),
        at_start=True,
    ),
    Attempt(
        "write more than a file may hold", LIMITS, _write_beyond, (errno.EFBIG,), at_start=True
    ),
    Attempt("open 70 descriptors", LIMITS, _open_many, (errno.EMFILE,), at_start=True),
    Attempt(
        "the limit of CPU time",
        LIMITS,
        _reads(resource.RLIMIT_CPU, TRIAL_CPU_SECONDS),
        (HELD,),
        at_start=True,
    ),
    Attempt("no core file", LIMITS, _reads(resource.RLIMIT_CORE, 0), (HELD,), at_start=True),
    Attempt(
        "compute beyond the limit",
        LIMITS,
        _spin,
        (-signal.SIGXCPU, -signal.SIGKILL),
        with_layer_only=True,
    ),
    Attempt("no capability is left", PRIVILEGES, _no_capability, (HELD,), at_start=True),
    Attempt("nor can one be gained", PRIVILEGES, _empty_bounding_set, (HELD,)),
    Attempt("become another user", PRIVILEGES, lambda _: os.setresuid(1, 1, 1), _PERM),
    Attempt("become member of a group", PRIVILEGES, lambda _: os.setgroups([1]), _PERM),
    Attempt("give a file away", PRIVILEGES, lambda s: os.chown(s.file, 1, 1), _PERM),
    Attempt("change the root folder", PRIVILEGES, lambda _: os.chroot("/"), _PERM),
    Attempt("a raw socket", PRIVILEGES, _raw_socket, _PERM),
    Attempt("a higher priority", PRIVILEGES, lambda _: os.setpriority(0, 0, -5), (*_ACCES, *_PERM)),
    Attempt("raise a hard limit", PRIVILEGES, _raise_hard_limit, _PERM),
    Attempt("read the memory of a neighbour", MEMORY, _opens("mem"), _ACCES),
    Attempt("read the environment of a neighbour", MEMORY, _opens("environ"), _ACCES),
    Attempt(
        "trace a neighbour",
        MEMORY,
        lambda s: call("ptrace", _PTRACE_ATTACH, s.neighbour, 0, 0),
        _PERM,
    ),
    Attempt(
        "use a closed descriptor",
        DESCRIPTORS,
        lambda s: os.fstat(s.descriptor),
        (errno.EBADF,),
    ),
    Attempt("execute", LANDLOCK, _execute, _ACCES),
    Attempt(
        "write_file", LANDLOCK, lambda s: _open(s.file, os.O_WRONLY), _ACCES, "files", at_start=True
    ),
    Attempt(
        "read_file",
        LANDLOCK,
        lambda s: _open(s.hidden, os.O_RDONLY),
        _ACCES,
        "files",
        at_start=True,
    ),
    Attempt(
        "read_dir",
        LANDLOCK,
        lambda s: _open(s.hidden_folder, os.O_RDONLY | os.O_DIRECTORY),
        _ACCES,
        "files",
        at_start=True,
    ),
    Attempt("remove_dir", LANDLOCK, lambda s: os.rmdir(f"{s.folder}/empty"), _ACCES),
    Attempt("remove_file", LANDLOCK, lambda s: os.unlink(f"{s.folder}/program"), _ACCES),
    Attempt("make_char", LANDLOCK, _make(stat.S_IFCHR), _ACCES),
    Attempt("make_dir", LANDLOCK, lambda s: os.mkdir(f"{s.folder}/made"), _ACCES),
    Attempt("make_reg", LANDLOCK, _make(stat.S_IFREG), _ACCES),
    Attempt("make_sock", LANDLOCK, _make(stat.S_IFSOCK), _ACCES),
    Attempt("make_fifo", LANDLOCK, _make(stat.S_IFIFO), _ACCES),
    Attempt("make_block", LANDLOCK, _make(stat.S_IFBLK), _ACCES),
    Attempt("make_sym", LANDLOCK, lambda s: os.symlink("/", f"{s.folder}/made"), _ACCES),
    Attempt(
        "refer",
        LANDLOCK,
        lambda s: os.link(s.file, f"{s.folder}/empty/file"),
        (errno.EACCES, errno.EXDEV),
    ),
    Attempt(
        "truncate",
        LANDLOCK,
        lambda s: os.truncate(s.file, 0),
        _ACCES,
        "truncate",
        since=3,
        at_start=True,
    ),
    Attempt("bind_tcp", LANDLOCK, _bind, _ACCES, "TCP", since=4, at_start=True),
    Attempt("connect_tcp", LANDLOCK, _connect, _ACCES, "TCP", since=4, at_start=True),
    Attempt("ioctl_dev", LANDLOCK, _ask_device, _ACCES, "devices", since=5, at_start=True),
    Attempt(
        "abstract_unix_socket",
        LANDLOCK,
        _connect_abstract,
        _PERM,
        "signals",
        since=6,
        at_start=True,
    ),
    Attempt(
        "signal",
        LANDLOCK,
        lambda s: os.kill(s.neighbour, 0),
        _PERM,
        "signals",
        since=6,
        at_start=True,
    ),
    Attempt("whether a file exists", PATHS, lambda s: os.stat(s.hidden), _NOENT),
    Attempt("leave the root folder", PATHS, lambda s: os.stat(f"/..{s.hidden}"), _NOENT),
    Attempt("a handle of a file", PATHS, lambda s: _open(s.hidden, os.O_PATH), _NOENT),
    Attempt("the target of a link", PATHS, lambda s: os.readlink(f"{s.hidden}-link"), _NOENT),
    Attempt("rights to a folder", PATHS, _access, _NOENT),
    Attempt("write a readable file", PATHS, lambda s: _open(s.file, os.O_WRONLY), _ROFS),
    Attempt("make a file", PATHS, _make(stat.S_IFREG), _ROFS),
    Attempt("a socket", SECCOMP, lambda _: os.close(call("socket", 2, 1, 0)), _PERM, at_start=True),
    Attempt("a namespace", SECCOMP, lambda _: call("unshare", 0), _PERM, at_start=True),
    Attempt("a process", SECCOMP, _fork, _PERM),
    Attempt("another program", SECCOMP, lambda _: os.execv("/", ["/"]), _PERM),
    Attempt("a signal to another process", SECCOMP, lambda s: os.kill(s.neighbour, 0), _PERM),
    Attempt("a SIGKILL to itself", SECCOMP, _kill_itself, _PERM),
    Attempt("a memory file", SECCOMP, lambda _: os.close(os.memfd_create("made")), _PERM),
    Attempt("flags of a descriptor", SECCOMP, _set_flags, _PERM),
    Attempt("other limits", SECCOMP, _set_limits, _PERM),
    Attempt("a working folder", SECCOMP, lambda s: os.chdir(s.folder), _PERM),
    Attempt("rights of a file", SECCOMP, lambda s: os.chmod(s.file, 0o600), _PERM),
    Attempt("the end of a file", SECCOMP, lambda s: os.truncate(s.file, 0), _PERM),
    Attempt("a device", SECCOMP, _ask_device, (errno.ENOTTY,)),
    Attempt("clone3", SECCOMP, lambda _: call("clone3", 0, 0), (errno.ENOSYS,)),
    Attempt(
        "attributes of a process",
        SECCOMP,
        lambda _: call("prctl", _NO_ATTRIBUTE, 0, 0, 0, 0),
        _PERM,
    ),
)
