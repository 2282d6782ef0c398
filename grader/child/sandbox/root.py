"""A root folder that contains only what a child may read (`pivot_root(2)`).

Landlock refuses to open other files, but not to ask whether they exist; in this root they do not.
It needs a mount namespace, so the zygote has it only where it may make one.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..protocol import REAL_UID
from . import privileges, tasks
from .kernel import call

# linux/sched.h, linux/mount.h
_CLONE_NEWUSER, _CLONE_NEWNS = 0x10000000, 0x20000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC = 1, 2, 4, 8
_MS_REMOUNT, _MS_BIND, _MS_REC, _MS_PRIVATE = 0x20, 0x1000, 0x4000, 1 << 18
_MNT_DETACH = 2
_CAP_SYS_ADMIN = 21  # linux/capability.h
_DEVICES = "/dev/"
_COVERS = ("/tmp", "/mnt", "/run", "/var")  # noqa: S108 # mount points for the new root
_MOST_LINKS = 40

NONE, MOUNTS, USERS = range(3)
"""no new root; in a mount namespace; in a user namespace besides"""


def find(paths: Iterable[str], limit: tasks.TaskLimit) -> int:
    """Return how this process can `enter` a root with `paths` only: `MOUNTS`, `USERS` or `NONE`.

    Tried in a forked process, in which the limit on tasks must work afterwards.
    """
    administers = privileges.capabilities()[0] & 1 << _CAP_SYS_ADMIN
    if not administers and limit.way == REAL_UID:
        return NONE  # a user namespace would map no other user id
    kind = MOUNTS if administers else USERS
    child = os.fork()
    if child == 0:
        status = 1
        try:
            enter(paths, kind)
            limit.enter()
            status = int(Path("/proc").exists())
        finally:
            os._exit(status)
    return NONE if os.waitpid(child, 0)[1] else kind


def enter(paths: Iterable[str], kind: int) -> None:
    """Move this process into a read-only root with only `paths`, under their own names.

    `kind` is `MOUNTS` or `USERS`. Call it with one thread, before Landlock and while the process is
    dumpable. OSError when the kernel refuses; the process then has other namespaces than before.
    """
    known = list(dict.fromkeys(path for path in paths if Path(path).exists()))
    links = dict(link for path in known for link in _links(path))
    _unshare(user_namespace=kind == USERS)
    _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
    cover = next(folder for folder in _COVERS if Path(folder).is_dir())
    with _held({os.path.realpath(path) for path in known}) as held:  # some lie below the cover
        _mount("tmpfs", cover, "tmpfs", _MS_NOSUID | _MS_NODEV, "mode=755,size=1m")
        bound: list[str] = []
        for path in sorted(held):
            if not any(f"{path}/".startswith(f"{done}/") for done in bound):
                bound.append(path)
                _bind(f"/proc/self/fd/{held[path]}", Path(f"{cover}{path}"), path)
    for link, target in links.items():
        made = Path(f"{cover}{link}")
        if not os.path.lexists(made):
            made.parent.mkdir(parents=True, exist_ok=True)
            made.symlink_to(target)
    os.chdir(cover)
    call("pivot_root", ctypes.c_char_p(b"."), ctypes.c_char_p(b"."))
    call("umount2", ctypes.c_char_p(b"."), _MNT_DETACH)
    os.chdir("/")
    _mount(None, "/", None, _MS_BIND | _MS_REMOUNT | _MS_RDONLY | _MS_NOSUID | _MS_NODEV)


def _links(path: str) -> Iterator[tuple[str, str]]:
    """Yield the symbolic links on the way to `path`, such as /lib, and their targets."""
    for _ in range(_MOST_LINKS):
        parts = [*reversed(Path(path).parents), Path(path)]
        link = next((part for part in parts if part.is_symlink()), None)
        if link is None:
            return
        target = os.readlink(link)  # noqa: PTH115
        yield str(link), target
        path = os.path.normpath(link.parent / target / Path(path).relative_to(link))


def _unshare(user_namespace: bool) -> None:
    user, group = os.geteuid(), os.getegid()
    call("unshare", _CLONE_NEWNS | (_CLONE_NEWUSER if user_namespace else 0))
    if user_namespace:
        maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
        for name, text in maps.items():
            Path(f"/proc/self/{name}").write_text(text, "ascii")


@contextlib.contextmanager
def _held(paths: Iterable[str]) -> Iterator[dict[str, int]]:
    held = {path: os.open(path, os.O_PATH | os.O_CLOEXEC) for path in paths}
    try:
        yield held
    finally:
        for descriptor in held.values():
            os.close(descriptor)


def _bind(source: str, target: Path, path: str) -> None:
    if Path(source).is_dir():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    _mount(source, str(target), None, _MS_BIND | _MS_REC)
    locked = os.statvfs(target).f_flag & (_MS_RDONLY | _MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    flags = _MS_RDONLY | _MS_NOSUID | (0 if path.startswith(_DEVICES) else _MS_NODEV)
    _mount(None, str(target), None, _MS_BIND | _MS_REMOUNT | flags | locked)


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, data: str | None = None
) -> None:
    words = (
        ctypes.c_char_p(os.fsencode(word)) if word else None for word in (source, target, kind)
    )
    call("mount", *words, flags, ctypes.c_char_p(data.encode("ascii")) if data else None)
