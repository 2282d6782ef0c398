"""Run a command as in a container: under the engines' default seccomp profile and capabilities.

`python container_profile.py COMMAND...` compiles the profile with libseccomp, loads it, and
becomes the command. The profile is the file of the Debian package golang-github-containers-common
(github.com/containers/common, pkg/seccomp); its format is that of the engines: rules that hold
only with some capabilities (`includes`, `excludes`), several arguments all to be met.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

PROFILE = Path("/usr/share/containers/seccomp.json")
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_CAPABILITIES = {
    # What Docker grants by default, by number (linux/capability.h).
    "CAP_CHOWN": 0,
    "CAP_DAC_OVERRIDE": 1,
    "CAP_FOWNER": 3,
    "CAP_FSETID": 4,
    "CAP_KILL": 5,
    "CAP_SETGID": 6,
    "CAP_SETUID": 7,
    "CAP_SETPCAP": 8,
    "CAP_NET_BIND_SERVICE": 10,
    "CAP_NET_RAW": 13,
    "CAP_SYS_CHROOT": 18,
    "CAP_MKNOD": 27,
    "CAP_AUDIT_WRITE": 29,
    "CAP_SETFCAP": 31,
}
_LAST_CAPABILITY = 40
_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000
_EPERM = 1
_NO_NEW_PRIVS_ATTRIBUTE = 3
"""SCMP_FLTATR_CTL_NNP of seccomp.h"""
_COMPARISONS = {"NE": 1, "LT": 2, "LE": 3, "EQ": 4, "GE": 5, "GT": 6, "MASKED_EQ": 7}
_PR_CAPBSET_DROP = 24
_CAPABILITY_VERSION = 0x20080522
"""_LINUX_CAPABILITY_VERSION_3"""


class _Argument(ctypes.Structure):
    """`struct scmp_arg_cmp` of seccomp.h."""

    _fields_ = (
        ("index", ctypes.c_uint),
        ("comparison", ctypes.c_int),
        ("value", ctypes.c_uint64),
        ("mask", ctypes.c_uint64),
    )


def missing() -> str:
    """Return what this machine lacks, or ""."""
    if platform.machine() not in _ARCHITECTURES:
        return f"no profile for {platform.machine()}"
    if not PROFILE.is_file():
        return "the Debian package golang-github-containers-common is not installed"
    if not ctypes.util.find_library("seccomp"):
        return "libseccomp is not installed"
    return ""


def enter() -> None:
    """Confine this process as an engine confines a container's first one. Raises OSError."""
    profile = json.loads(PROFILE.read_text("utf-8"))
    library = ctypes.CDLL(ctypes.util.find_library("seccomp"))
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(
        library.seccomp_init(_action(profile["defaultAction"], profile.get("defaultErrnoRet")))
    )
    if os.geteuid() == 0:
        library.seccomp_attr_set(context, _NO_NEW_PRIVS_ATTRIBUTE, 0)
    for rule in profile["syscalls"]:
        if _applies(rule):
            _add(library, context, rule)
    _drop_capabilities_from_the_bounding_set()
    failed = library.seccomp_load(context)
    if failed:
        raise OSError(-failed, "seccomp_load")
    if os.geteuid() == 0:
        _keep_only_the_containers_capabilities()


def _applies(rule: dict[str, Any]) -> bool:
    included, excluded = rule.get("includes") or {}, rule.get("excludes") or {}
    machine = _ARCHITECTURES[platform.machine()]
    return (
        set(included.get("caps") or ()) <= _CAPABILITIES.keys()
        and machine in (included.get("arches") or [machine])
        and not _CAPABILITIES.keys() & set(excluded.get("caps") or ())
        and machine not in (excluded.get("arches") or ())
    )


def _add(library: ctypes.CDLL, context: ctypes.c_void_p, rule: dict[str, Any]) -> None:
    action = _action(rule["action"], rule.get("errnoRet"))
    arguments = [
        _Argument(
            item["index"],
            _COMPARISONS[item["op"].removeprefix("SCMP_CMP_")],
            item["value"],
            item["valueTwo"],
        )
        for item in rule.get("args") or ()
    ]
    array = (_Argument * len(arguments))(*arguments)
    for name in rule["names"]:
        number = library.seccomp_syscall_resolve_name(name.encode("ascii"))
        if number >= 0:
            library.seccomp_rule_add_array(
                context, ctypes.c_uint32(action), number, len(arguments), array
            )


def _action(name: str, errno: int | None) -> int:
    if name == "SCMP_ACT_ALLOW":
        return _ALLOW
    if name == "SCMP_ACT_ERRNO":
        return _ERRNO | (_EPERM if errno is None else errno)
    raise ValueError(f"an action that the engines' default profile did not have: {name}")


def _drop_capabilities_from_the_bounding_set() -> None:
    libc = ctypes.CDLL(None)
    for number in set(range(_LAST_CAPABILITY + 1)) - set(_CAPABILITIES.values()):
        libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)


def _keep_only_the_containers_capabilities() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    kept = sum(1 << number for number in _CAPABILITIES.values())
    low, high = kept & 0xFFFFFFFF, kept >> 32
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    data = (ctypes.c_uint32 * 6)(low, low, low, high, high, high)
    if libc.capset(header, data):
        raise OSError(ctypes.get_errno(), "capset")


if __name__ == "__main__":
    enter()
    os.execv(sys.argv[1], sys.argv[1:])
