"""Serve one request in a child: load the learner's file, make the calls, send the results.

The children of the `process` and the `zygote` runner run this code. A request contains inputs and
no expected values. Learner code can forge frames, so `runners.frames` checks every frame.
"""

from __future__ import annotations

import builtins
import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

from . import answers, calling, encoding, learner, protocol

Send = Callable[[bytes], None]

_BUILTINS = dict(vars(builtins))


def serve(request: protocol.Request, send: Send) -> None:
    """Load the submission, make every call of the request and send a frame for each.

    After each call the request's marker is written to descriptor 2. Exceptions of learner code
    are caught.
    """
    files = learner.LearnerFiles(request.name, request.source, request.helpers)
    collector = calling.collector
    collector.files = files.numbers
    end_of_output = f"\0{request.marker}\0".encode("ascii")
    function, refusal = learner.entry_point(files, request.entry_point)
    _restore_builtins()
    _end_output(end_of_output)
    if function is None:
        send(protocol.encode_frame(protocol.REFUSED, 0, refusal))
        return
    send(protocol.encode_frame(protocol.READY, 0, {"warnings": list(map(list, collector.found))}))
    budget = request.result_budget
    for index, nodes in enumerate(request.calls):
        called = calling.call(
            function,
            encoding.decode_arguments(nodes, request.payload),
            request.single,
            collector,
            _restore_builtins,
        )
        if called.answer is None:
            frame = _raised(index, called, files)
        else:
            frame, spent = _returned(index, called.answer, called, budget)
            budget -= spent
        del called
        _end_output(end_of_output)
        send(frame)
    send(protocol.encode_frame(protocol.END, 0, None))


def _restore_builtins() -> None:
    vars(builtins).update(_BUILTINS)


def _raised(index: int, called: calling.Called, files: learner.LearnerFiles) -> bytes:
    _restore_builtins()
    assert called.error is not None
    facts = learner.failure(called.error, files)
    return protocol.encode_frame(protocol.RAISED, index, {**facts, "seconds": called.seconds})


def _returned(
    index: int, answer: answers.Answer, called: calling.Called, budget: int
) -> tuple[bytes, int]:
    """Return the frame of an answer and the bytes of its arrays."""
    values: list[Any] = []
    payloads: list[bytes] = []
    spent = 0
    for value in answer.values:
        array, why_not = value.array, value.why_not
        if array is not None and spent + array.nbytes > budget:
            why_not = answers.Remark("too_large", round(array.nbytes / 2**20))
            array = None
        if array is None:
            values.append([value.type_name, "", _remark(why_not), "", []])
            continue
        dtype, code = encoding.little_endian(array.dtype)
        payloads.append(array.astype(dtype, copy=False).tobytes())
        spent += array.nbytes
        values.append([value.type_name, value.dtype, None, code, array.shape])
    meta = [answer.container, answer.type_name, values, answer.names, called.seconds]
    notes = [_remark(note) for note in called.notes[: protocol.NOTES_LIMIT]]
    meta += [called.changed, notes, called.warnings]
    return protocol.encode_frame(protocol.RETURNED, index, meta, payloads), spent


def _remark(remark: answers.Remark | None) -> list[Any] | None:
    return [remark.key, remark.detail, remark.inside] if remark else None


def _end_output(end_of_output: bytes) -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(BaseException):  # the learner closed or replaced it
            stream.flush()
    try:
        os.write(2, end_of_output)
    except OSError:  # the learner closed descriptor 2, so there is no output
        return
