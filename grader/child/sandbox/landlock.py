"""Restrict files, TCP and signals for this process and its children (`landlock(7)`)."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

from .kernel import SUPPORTED, call

# linux/landlock.h and Documentation/userspace-api/landlock.rst; the number is the ABI's
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1
_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_ALL_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
_ALL_TCP_RIGHTS = {4: 0b11}  # bind, connect
_ALL_SCOPES = {6: 0b11}  # abstract unix sockets, signals


def abi() -> int:
    """Return the version of the kernel's Landlock ABI; 0 when it has no Landlock."""
    if not SUPPORTED:
        return 0
    try:
        return call("landlock_create_ruleset", None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


def restrict(readable: Iterable[str]) -> None:
    """Permit only reading, and only the files and folders in `readable`.

    The null device, if it is one of them, may be written too, since code sends unwanted output
    there. Call `privileges.drop` first. OSError when the kernel refuses. A path that does not exist
    is ignored.
    """
    version = abi()
    files, tcp, scopes = (
        max((rights for since, rights in table.items() if since <= version), default=0)
        for table in (_ALL_FILE_RIGHTS, _ALL_TCP_RIGHTS, _ALL_SCOPES)
    )
    length = 8 if version < 4 else 16 if version < 6 else 24
    attributes = ctypes.create_string_buffer(struct.pack("=QQQ", files, tcp, scopes)[:length])
    ruleset = call("landlock_create_ruleset", attributes, length, 0)
    try:
        for path in readable:
            _allow(ruleset, path)
        call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE  # noqa: PTH112
        rights |= _WRITE_FILE if path == os.devnull else 0
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, descriptor), 12)
        call("landlock_add_rule", ruleset, _RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)
