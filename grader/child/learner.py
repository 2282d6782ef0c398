"""Load a learner's files from bytes, and convert their exceptions to plain data."""

from __future__ import annotations

import builtins
import errno
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import answers, protocol

REFUSED_BY_SYSTEM = frozenset({errno.EPERM, errno.EACCES, errno.EROFS, errno.ENETUNREACH})
"""error numbers with which a sandbox refuses a system call"""


class LearnerFiles:
    """The learner's files by the path in their code objects.

    Frames contain the number of a file: 0 for the submission, 1 for the first helper, ...
    """

    def __init__(self, name: str, source: bytes, helpers: Mapping[str, bytes]) -> None:
        folder = name.rpartition("/")[0]
        self.name = name
        self.sources = {name: source}
        self.helpers = {}
        for helper, text in helpers.items():
            path = f"{folder}/{helper}.py" if folder else f"{helper}.py"
            self.sources[path] = text
            self.helpers[helper] = path
        self.numbers = {path: number for number, path in enumerate(self.sources)}


class Loader(importlib.abc.Loader):
    """Runs one of the learner's files as a module and gives its text to `linecache`."""

    def __init__(self, files: LearnerFiles, path: str) -> None:
        self._source = files.sources[path]
        self._path = path

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Return None: the import system creates an ordinary module."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Compile the bytes, with their coding line or byte order mark, and run the code."""
        code = compile(self._source, self._path, "exec", dont_inherit=True)
        name = self._path.rpartition("/")[2]
        module.__file__ = os.path.join(os.getcwd(), name)  # noqa: PTH118, PTH109 (a third of the time)
        exec(code, module.__dict__)

    def get_source(self, _fullname: str) -> str:
        """Return the text, for tracebacks and `inspect`."""
        return importlib.util.decode_source(self._source)


class Finder:
    """Finds the helper modules of a submission; the last finder, so it hides no other module."""

    def __init__(self, files: LearnerFiles) -> None:
        self._files = files

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a helper, or None."""
        helper = self._files.helpers.get(fullname)
        if helper is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, Loader(self._files, helper), origin=helper)


def load(files: LearnerFiles) -> types.ModuleType:
    """Run the submission as a module registered in `sys.modules`, and return it.

    Raises every exception of the submission, `BaseException` included.
    """
    sys.meta_path.append(Finder(files))
    stem = files.name.rpartition("/")[2].removesuffix(".py")
    taken = stem in sys.modules or stem in sys.stdlib_module_names or stem in files.helpers
    name = "submission" if taken or not stem.isidentifier() else stem
    loader = Loader(files, files.name)
    spec = importlib.machinery.ModuleSpec(name, loader, origin=files.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def entry_point(files: LearnerFiles, name: str) -> tuple[Callable[..., Any] | None, dict[str, Any]]:
    """Load the submission; return its entry point and {}, or None and the facts of a refusal."""
    try:
        module = load(files)
        function = vars(module).get(name)
        if callable(function):
            return function, {}
        found = answers.type_name(function) if name in vars(module) else ""
        return None, {"kind": "missing", "defined": defined(module), "found": found}
    except SyntaxError as error:
        facts = syntax_failure(error, files)
        own = not facts["frames"] and facts["file"] is not None
        return None, {"kind": "syntax" if own else "import", **facts}
    except BaseException as error:
        return None, {"kind": "import", **failure(error, files)}


def defined(module: types.ModuleType) -> list[str]:
    """Return the public names of a file's own callables, at most `DEFINED_LIMIT`."""
    return [
        name[: protocol.NAME_LIMIT]
        for name, value in list(vars(module).items())
        if not name.startswith("_") and callable(value) and _is_own(module, value)
    ][: protocol.DEFINED_LIMIT]


def _is_own(module: types.ModuleType, value: Any) -> bool:
    return getattr(value, "__module__", None) == module.__name__


def failure(error: BaseException, files: LearnerFiles) -> dict[str, Any]:
    """Return an exception as plain data: the meta of a RAISED or REFUSED frame."""
    return {
        "type": str(type(error).__name__)[: protocol.NAME_LIMIT],
        "message": _message(error),
        "frames": _frames(error.__traceback__, files),
        "errno": _errno(error),
        "memory": isinstance(error, MemoryError),
        "missing": str(getattr(error, "name", "") or "")[: protocol.NAME_LIMIT]
        if isinstance(error, ImportError)
        else "",
    }


def syntax_failure(error: SyntaxError, files: LearnerFiles) -> dict[str, Any]:
    """Return a syntax error as plain data; `file` is None when it is not in the learner's files."""
    facts = failure(error, files)
    facts["message"] = str(error.msg)[: protocol.MESSAGE_LIMIT]
    facts["file"] = files.numbers.get(str(error.filename or files.name))
    facts["line"], facts["column"] = _position(error.lineno), _position(error.offset)
    return facts


def _position(number: Any) -> int | None:
    """Return a line or column, from 1; None for -1 and others that have no place."""
    is_place = isinstance(number, int) and 0 < number < protocol.AXIS_LIMIT
    return int(number) if is_place else None


def _message(error: BaseException) -> str:
    try:
        return builtins.str(error)[: protocol.MESSAGE_LIMIT]
    except BaseException as worse:  # the learner's own `__str__` may raise anything
        return f"(its text could not be made: {type(worse).__name__})"


def _frames(trace: types.TracebackType | None, files: LearnerFiles) -> list[list[Any]]:
    """Return file number, line and function of the learner's own frames, outermost first."""
    frames: list[list[Any]] = []
    while trace is not None:
        code = trace.tb_frame.f_code
        number = files.numbers.get(code.co_filename)
        if number is not None:
            frames.append([number, trace.tb_lineno, code.co_name[: protocol.NAME_LIMIT]])
            if len(frames) > 2 * protocol.FRAMES_LIMIT:
                del frames[protocol.FRAMES_LIMIT // 2 : -protocol.FRAMES_LIMIT // 2]
        trace = trace.tb_next
    if len(frames) > protocol.FRAMES_LIMIT:
        del frames[protocol.FRAMES_LIMIT // 2 : -protocol.FRAMES_LIMIT // 2]
    return frames


def _errno(error: BaseException) -> int:
    """Return the number of the refused system call's error in a chain of exceptions, or 0."""
    link: BaseException | None = error
    for _ in range(10):
        if link is None:
            break
        number = link.errno if isinstance(link, OSError) else None
        if number in REFUSED_BY_SYSTEM:
            return int(number or 0)
        link = link.__cause__ or link.__context__
    return 0
