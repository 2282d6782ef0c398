"""Read and check a learner's file before it runs; return a `Submission` or a `Refusal`."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Collection
from pathlib import Path

from grader import source_text
from grader.model import Failure, Refusal, Submission
from grader.text import clean

MOST_BYTES = 1024 * 1024
NOTEBOOK = ".ipynb"
MOST_NOTEBOOK_BYTES = 10 * 1024 * 1024
"""a notebook contains pictures, so it is larger than its code"""
_MOST_HELPERS = 20
_IMPORTS = re.compile(rb"^[ \t]*(?:from[ \t]+(\w+)|import[ \t]+([\w., \t]+))", re.MULTILINE)
_LONGEST_NAME = 40
_UTF_16_OR_32 = (b"\xff\xfe", b"\xfe\xff")


def read(
    path: Path,
    name: str,
    others: Collection[Path] = (),
    entry_point: str = "",
) -> Submission | Refusal:
    """Return the submission in `path`, shown as `name`, with the sibling modules it imports.

    A symbolic link is refused: it can point to a file that the learner may not read. `others` are
    files of other exercises or learners, which are never helpers. A file that cannot be read is a
    refusal; nothing is raised.
    """
    is_notebook = path.suffix == NOTEBOOK
    data = _bytes_of(path, most_bytes(is_notebook))
    if isinstance(data, Refusal):
        return data
    taken = {other.resolve() for other in others} | {path.resolve()}

    def sibling(module: str) -> bytes | None:
        file = path.parent / f"{module}.py"
        if not file.is_file() or file.resolve() in taken:
            return None
        found = _bytes_of(file, MOST_BYTES)
        return None if isinstance(found, Refusal) else found

    return check(data, name, sibling, entry_point, is_notebook=is_notebook)


def check(
    data: bytes,
    name: str,
    sibling: Callable[[str], bytes | None],
    entry_point: str = "",
    *,
    is_notebook: bool,
) -> Submission | Refusal:
    """Return the submission in a file's bytes, shown as `name`, or the reason to refuse it.

    The size, the encoding and NUL bytes are checked. `sibling` returns the source of a module in
    the same folder by name, or None. Cells of a notebook after the last definition of `entry_point`
    are left out.
    """
    if len(data) > most_bytes(is_notebook):
        limit = {"limit_mb": most_bytes(is_notebook) >> 20}
        return Refusal("too_large", Failure("too_large", facts=limit))
    if not is_notebook:
        return _refusal_of(data) or Submission(name, data, _helpers(data, sibling))
    from grader import notebook

    script = notebook.read(data, entry_point)
    if isinstance(script, Refusal):
        return script
    source = script.source.encode()
    refusal = _refusal_of(source)
    if refusal:
        return notebook.relocated_refusal(refusal, script.line_map)
    return Submission(name, source, _helpers(source, sibling), script.line_map)


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


def _helpers(source: bytes, sibling: Callable[[str], bytes | None]) -> dict[str, bytes]:
    """Return the sibling modules that the source imports, and those that they import."""
    helpers: dict[str, bytes] = {}
    left = MOST_BYTES
    queue = [source]
    while queue:
        for module in _imported(queue.pop()):
            if module in helpers or len(helpers) >= _MOST_HELPERS:
                continue
            data = sibling(module)
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
