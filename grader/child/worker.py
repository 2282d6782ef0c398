"""The child's side of every runner: load the learner's file, call it, send what came back.

`child` imports it without the rest of the grader, for the `process` and the `zygote` runner. It
knows inputs only. Whatever it sends is a proposal: the grader checks it as hostile.
"""

from __future__ import annotations

import builtins
import os
import sys
import time
import warnings
from collections.abc import Callable, Container
from typing import Any

from . import answers, encoding, learner, protocol

Send = Callable[[bytes], None]

_BUILTINS = dict(vars(builtins))
_MOST_WARNINGS = 5
_now = time.perf_counter


def serve(request: protocol.Request, send: Send) -> None:
    """Load the submission and answer every call of the request, one frame each.

    Output of each call is ended by the request's marker on descriptor 2. Nothing that the learner's
    code raises gets out of here.
    """
    files = learner.LearnerFiles(request.name, request.source, request.helpers)
    notes = warning_notes.notes
    warning_notes.paths = files.sources
    end_of_output = f"\0{request.marker}\0".encode("ascii")
    function = _load(request, files, notes, send, end_of_output)
    if function is None:
        return
    budget = request.result_budget
    for index, nodes in enumerate(request.calls):
        arguments = encoding.decode_arguments(nodes, request.payload)
        notes.clear()
        started = _now()
        try:
            result = function(*arguments)
            seconds = _now() - started
            vars(builtins).update(_BUILTINS)
            answer, more = answers.read(result, request.single)
        except BaseException as error:  # also SystemExit, KeyboardInterrupt, GeneratorExit
            frame = _raised(index, error, files, _now() - started)
        else:
            _note_changes(nodes, arguments, request.payload, notes)
            frame, spent = _returned(index, answer, seconds, more + notes, budget)
            budget -= spent
            del result, answer
        _end_output(end_of_output)
        send(frame)
    send(protocol.encode_frame(protocol.END, 0, None))


def _load(
    request: protocol.Request,
    files: learner.LearnerFiles,
    notes: list[str],
    send: Send,
    end_of_output: bytes,
) -> Callable[..., Any] | None:
    """Load the file; send that it is ready, or why not, and return its entry point."""
    function: Any = None
    try:
        module = learner.load(files)
        function = vars(module).get(request.entry_point)
        if callable(function):
            kind, meta = protocol.READY, _ready(notes)
        else:
            found = answers.type_name(function) if request.entry_point in vars(module) else ""
            kind, meta = protocol.REFUSED, _missing(learner.defined(module), found)
    except SyntaxError as error:
        facts = learner.syntax_failure(error, files)
        own = not facts["frames"] and facts["file"] is not None
        kind, meta = protocol.REFUSED, {"kind": "syntax" if own else "import", **facts}
    except BaseException as error:
        kind, meta = protocol.REFUSED, {"kind": "import", **learner.failure(error, files)}
    vars(builtins).update(_BUILTINS)
    _end_output(end_of_output)
    send(_bounded_frame(kind, 0, meta))
    return function if kind == protocol.READY else None


def _ready(notes: list[str]) -> dict[str, Any]:
    return {"notes": notes[:_MOST_WARNINGS]}


def _missing(defined: list[str], found: str) -> dict[str, Any]:
    return {"kind": "missing", "defined": defined, "found": found}


def _raised(index: int, error: BaseException, files: learner.LearnerFiles, seconds: float) -> bytes:
    vars(builtins).update(_BUILTINS)
    facts = learner.failure(error, files)
    return _bounded_frame(protocol.RAISED, index, {**facts, "seconds": seconds})


def _bounded_frame(kind: int, index: int, meta: dict[str, Any]) -> bytes:
    """Return a frame whose texts are cut until its meta fits."""
    for longest in (1000, 200, 40):
        try:
            return protocol.encode_frame(kind, index, _cut(meta, longest))
        except ValueError:
            continue
    return protocol.encode_frame(kind, index, {**_cut(meta, 40), "frames": [], "defined": []})


def _cut(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return value[:longest]
    if isinstance(value, dict):
        return {key: _cut(item, longest) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut(item, longest) for item in value]
    return value


def _returned(
    index: int, answer: answers.Answer, seconds: float, notes: list[str], budget: int
) -> tuple[bytes, int]:
    """Return the frame of an answer and the bytes of its arrays."""
    values: list[Any] = []
    payloads: list[bytes] = []
    spent = 0
    for value in answer.values:
        array, why_not = value.array, value.why_not
        if array is not None and spent + array.nbytes > budget:
            why_not = f"an array of {array.nbytes / 2**20:.0f} MiB: too large"
            array = None
        if array is None:
            values.append([value.type_name, value.dtype, why_not, "", []])
            continue
        dtype, code = encoding.little_endian(array.dtype)
        payloads.append(array.astype(dtype, copy=False).tobytes())
        spent += array.nbytes
        values.append([value.type_name, value.dtype, "", code, array.shape])
    notes = notes[: protocol.NOTES_LIMIT]
    meta = [answer.container, answer.type_name, values, answer.names, seconds, notes]
    while True:
        try:
            return protocol.encode_frame(protocol.RETURNED, index, meta, payloads), spent
        except ValueError:
            if not notes:
                raise
            notes.pop()


def _note_changes(
    nodes: list[Any], arguments: list[Any], payload: memoryview, notes: list[str]
) -> None:
    for position, (node, argument) in enumerate(zip(nodes, arguments, strict=True), start=1):
        if not encoding.unchanged(node, argument, payload):
            notes.append(f"argument {position} was changed in place")


class WarningNotes:
    """Makes warnings notes: the first at each place, a few in all."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.paths: Container[str] = ()

    def collect(self) -> None:
        """Take over the showing of warnings in this process."""
        warnings.resetwarnings()
        warnings.simplefilter("default")
        for kind in (PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        vars(warnings)["showwarning"] = self._show

    def _show(
        self, message: Warning | str, category: type[Warning], filename: str, lineno: int, *_: Any
    ) -> None:
        place = f" (line {lineno})" if filename in self.paths else ""
        note = f"{category.__name__}: {str(message)[:200]}{place}"
        if note not in self.notes and len(self.notes) < _MOST_WARNINGS:
            self.notes.append(note)


warning_notes = WarningNotes()


def _end_output(end_of_output: bytes) -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:  # closed, replaced or broken by the learner: nothing to flush
            continue
    try:
        os.write(2, end_of_output)
    except OSError:  # the learner closed descriptor 2: there is no more output to end
        return
