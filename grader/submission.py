"""Read and check a learner's file before it runs; return a `Submission` or a `Refusal`."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from grader import source_text
from grader.model import Failure, Refusal, Submission
from grader.text import clean

MOST_BYTES = 1024 * 1024
NOTEBOOK = ".ipynb"
MOST_NOTEBOOK_BYTES = 10 * 1024 * 1024
"""a notebook contains pictures, so it is larger than its code"""
_MOST_HELPERS = 20
_MOST_BESIDE = 100
"""imported names for which a file in the same folder is searched"""
_IMPORTS = re.compile(rb"^[ \t]*(?:from[ \t]+(\w+)|import[ \t]+([\w., \t]+))", re.MULTILINE)
_LONGEST_NAME = 40
_UTF_16_OR_32 = (b"\xff\xfe", b"\xfe\xff")


def read(
    path: Path,
    name: str,
    helpers: Mapping[str, Path] = MappingProxyType({}),
    entry_point: str = "",
) -> Submission | Refusal:
    """Return the submission in `path`, shown as `name`, with those of the `helpers` it imports.

    `helpers` are the files of modules by name. Other files in the folder may belong to other
    learners, so they are not read. A symbolic link is refused, and is no helper: it can point to a
    file that the learner may not read. A file that cannot be read is a refusal; nothing is raised.
    """
    is_notebook = path.suffix == NOTEBOOK
    data = _bytes_of(path, most_bytes(is_notebook))
    if isinstance(data, Refusal):
        return data

    def helper(module: str) -> bytes | None:
        found = _bytes_of(helpers[module], MOST_BYTES) if module in helpers else None
        return found if isinstance(found, bytes) else None

    checked = check(data, name, helper, entry_point, is_notebook=is_notebook)
    if isinstance(checked, Refusal):
        return checked
    others = set(_imported(checked.source)[:_MOST_BESIDE]) - helpers.keys() - {path.stem}
    beside = (module for module in others if _is_file(path.parent / f"{module}.py"))
    return replace(checked, beside=frozenset(beside))


def own_helpers(path: Path) -> dict[str, Path]:
    """Return the Python files in the folder of `path`, which belongs to one learner, by name.

    Links and `path` itself are left out.
    """
    files = path.parent.glob("*.py") if path.parent.is_dir() else ()
    return {
        file.stem: file
        for file in files
        if file.stem.isidentifier() and file != path and _is_file(file)
    }


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def check(
    data: bytes,
    name: str,
    helper: Callable[[str], bytes | None],
    entry_point: str = "",
    *,
    is_notebook: bool,
) -> Submission | Refusal:
    """Return the submission in a file's bytes, shown as `name`, or the reason to refuse it.

    The size, the encoding and NUL bytes are checked. `helper` returns the source of a module by
    name, or None when it was not handed in too. Cells of a notebook after the last definition of
    `entry_point` are left out.
    """
    if len(data) > most_bytes(is_notebook):
        limit = {"limit_mb": most_bytes(is_notebook) >> 20}
        return Refusal("too_large", Failure("too_large", facts=limit))
    if not is_notebook:
        return _refusal_of(data) or Submission(name, data, _helpers(data, helper))
    from grader import notebook

    script = notebook.read(data, entry_point)
    if isinstance(script, Refusal):
        return script
    source = script.source.encode()
    refusal = _refusal_of(source)
    if refusal:
        return notebook.relocated_refusal(refusal, script.line_map)
    return Submission(name, source, _helpers(source, helper), line_map=script.line_map)


def most_bytes(is_notebook: bool) -> int:
    """Return the size limit of a submission in bytes."""
    return MOST_NOTEBOOK_BYTES if is_notebook else MOST_BYTES


def _bytes_of(path: Path, most: int) -> bytes | Refusal:
    """Return a file's bytes, at most `most` + 1, so that the caller notices a larger file."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return Refusal("unreadable", Failure("link"))
        if not stat.S_ISREG(mode):
            return Refusal("unreadable", Failure("not_a_file"))
        with path.open("rb") as file:
            return file.read(most + 1)
    except FileNotFoundError:
        return Refusal("unreadable", Failure("no_file"))
    except OSError as error:
        return Refusal("unreadable", Failure("unreadable", facts={"reason": error.strerror}))


def _refusal_of(source: bytes) -> Refusal | None:
    if source.startswith(_UTF_16_OR_32):
        return Refusal("encoding", Failure("utf16"))
    nul = source.find(b"\0")
    if nul >= 0:
        return Refusal("encoding", Failure("nul"), line=source.count(b"\n", 0, nul) + 1)
    stated = source_text.declared(source)
    if stated and source_text.codec(stated[0]) is None:
        facts = {"name": clean(stated[0], _LONGEST_NAME)}
        return Refusal("encoding", Failure("codec", facts=facts), line=stated[1])
    if not stated:
        try:
            source.decode()
        except UnicodeDecodeError as error:
            # `compile` accepts such bytes in a comment, but importing the file would fail.
            line = source.count(b"\n", 0, error.start) + 1
            return Refusal("encoding", Failure("not_utf8"), line=line)
    start = source.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{") and b'"cells"' in source and b'"nbformat"' in source:
        return Refusal("notebook", Failure("notebook_text"))
    return None


def _helpers(source: bytes, helper: Callable[[str], bytes | None]) -> dict[str, bytes]:
    """Return the helpers that the source imports, and those that they import."""
    helpers: dict[str, bytes] = {}
    left = MOST_BYTES
    queue = [source]
    while queue:
        for module in _imported(queue.pop()):
            if module in helpers or len(helpers) >= _MOST_HELPERS:
                continue
            data = helper(module)
            if data is None or len(data) > left:
                continue
            left -= len(data)
            helpers[module] = data
            queue.append(data)
    return helpers


def _imported(source: bytes) -> list[str]:
    """Return top-level modules that the source may import, found by a pattern.

    The source may be too hostile for a parser.
    """
    names: dict[str, None] = {}  # a set in the order of the source
    for origin, listed in _IMPORTS.findall(source):
        parts = [origin] if origin else listed.split(b",")
        for part in parts:
            name = part.strip().split(b" ")[0].split(b".")[0].decode("latin-1")
            if name.isidentifier():
                names[name] = None
    return list(names)
