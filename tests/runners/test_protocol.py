"""The bytes between grader and child: values arrive unchanged, hostile frames are refused."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from grader.child import encoding, protocol
from grader.runners.frames import (
    End,
    Hello,
    ProtocolError,
    Raised,
    Ready,
    Reception,
    Refused,
    Returned,
)

HELLO = protocol.encode_frame(protocol.HELLO, 0, None)
READY = protocol.encode_frame(protocol.READY, 0, {"warnings": []})
END = protocol.encode_frame(protocol.END, 0, None)


def request(*arguments: Any) -> protocol.Request:
    data = protocol.encode_request(
        encoding.encode_calls([arguments]),
        name="it.py",
        source=b"\xff\x00source",
        helpers={"helpers": b"text"},
        entry_point="f",
        single=True,
        marker="m",
        seconds=2.0,
        memory_mb=1,
        cpu_seconds=1,
    )
    return protocol.decode_request(data)


def sent(*arguments: Any) -> list[Any]:
    given = request(*arguments)
    return encoding.decode_arguments(given.calls[0], given.payload)


def answer(index: int, values: list[Any], payload: bytes = b"", **changed: Any) -> bytes:
    fields: dict[str, Any] = {
        "container": "tuple",
        "type": "tuple",
        "values": values,
        "names": [],
        "seconds": 0.5,
        "changed": [],
        "notes": [],
        "warnings": [],
    }
    meta = list((fields | changed).values())
    return protocol.encode_frame(protocol.RETURNED, index, meta, [payload])


def array(code: str = "<f8", shape: list[Any] | None = None) -> list[Any]:
    return ["numpy.ndarray", "float64", "", code, [2] if shape is None else shape]


@pytest.mark.parametrize(
    "argument",
    [
        np.arange(6.0).reshape(2, 3).T,
        np.array(True),
        np.zeros((0, 3), "f4"),
        np.arange(3, dtype=">i4"),
        np.array([1 + 2j]),
        np.float32(0.1),
        np.int64(-3),
        np.bool_(True),
    ],
)
def test_arrays_and_scalars_arrive_with_their_dtype_shape_and_bits(argument: Any) -> None:
    (arrived,) = sent(argument)
    assert type(arrived) is type(argument)
    assert arrived.dtype == argument.dtype.newbyteorder("=")
    assert arrived.shape == argument.shape
    np.testing.assert_array_equal(arrived, argument)


def test_plain_python_values_arrive_with_value_and_type() -> None:
    arguments = (None, True, 3, -0.1, float("inf"), "text", 2j, [1, (2, None)], {"a": [1.5]})
    arrived = sent(*arguments)
    assert tuple(arrived) == arguments
    assert [type(item) for item in arrived] == [type(item) for item in arguments]


def test_arguments_keep_object_identity() -> None:
    one, other = np.ones(2), np.ones(2)
    first, second, third = sent(one, other, one)
    assert first is third
    assert first is not second


def test_source_and_helpers_arrive_byte_for_byte() -> None:
    given = request(1)
    assert (given.source, given.helpers) == (b"\xff\x00source", {"helpers": b"text"})


@pytest.mark.parametrize("argument", [np.array([None]), np.array(["a"]), object(), {1, 2}])
def test_an_argument_of_an_unsupported_type_raises_type_error(argument: Any) -> None:
    with pytest.raises(TypeError, match="cannot be encoded"):
        sent(argument)


def test_frames_that_arrive_byte_by_byte_are_decoded() -> None:
    raised = {"type": "ValueError", "message": "no", "frames": [[0, 3, "f"]], "seconds": 0.1}
    conversation = b"".join(
        [
            HELLO,
            READY,
            answer(0, [array()], np.array([1.0, 2.0]).tobytes()),
            protocol.encode_frame(protocol.RAISED, 1, raised),
            END,
        ]
    )
    reception = Reception(calls=2)
    messages = [
        m for i in range(len(conversation)) for m in reception.feed(conversation[i : i + 1])
    ]
    hello, ready, returned, failed, end = messages
    assert isinstance(hello, Hello)
    assert isinstance(ready, Ready)
    assert isinstance(end, End)
    assert isinstance(returned, Returned)
    assert isinstance(failed, Raised)
    np.testing.assert_array_equal(returned.answer.values[0].array, [1.0, 2.0])
    assert failed.facts.frames == ((0, 3, "f"),)


def test_a_decoded_array_is_native_writable_and_owns_its_memory() -> None:
    payload = np.array([1.0, 2.0]).tobytes()
    (*_, returned) = Reception(1).feed(HELLO + READY + answer(0, [array()], payload))
    assert isinstance(returned, Returned)
    value = returned.answer.values[0].array
    assert value is not None
    assert type(value) is np.ndarray
    assert value.flags.owndata or value.base is None or type(value.base) is np.ndarray
    assert value.flags.writeable
    assert value.dtype.isnative


def test_a_boolean_that_is_neither_0_nor_1_becomes_true() -> None:
    (*_, returned) = Reception(1).feed(HELLO + READY + answer(0, [array("|b1")], b"\x00\x07"))
    assert isinstance(returned, Returned)
    value = returned.answer.values[0].array
    assert value is not None
    assert value.view(np.uint8).tolist() == [0, 1]


EIGHT = np.zeros(2).tobytes()
HOSTILE = {
    "no magic": b"X" * 24,
    "an unknown kind": protocol.encode_frame(99, 0, None),
    "a result before the file was loaded": HELLO + answer(0, [array()], EIGHT),
    "ready without hello": READY,
    "two hellos": HELLO + HELLO,
    "two readies": HELLO + READY + READY,
    "an answer to an unknown call": HELLO + READY + answer(7, [array()], EIGHT),
    "an answer to a call out of turn": HELLO + READY + answer(1, [array()], EIGHT),
    "a call answered twice": HELLO + READY + 2 * answer(0, [array()], EIGHT),
    "the end with calls missing": HELLO + READY + END,
    "bytes after the end": HELLO + protocol.encode_frame(protocol.REFUSED, 0, {}) + b"!",
    "a huge payload": protocol.HEADER.pack(protocol.MAGIC, protocol.HELLO, 0, 0, 2**63),
    "a huge meta": protocol.HEADER.pack(protocol.MAGIC, protocol.HELLO, 0, 2**31, 0),
    "an unexpected payload": protocol.encode_frame(protocol.HELLO, 0, None, [b"x"]),
    "an unknown dtype": HELLO + READY + answer(0, [array("|O8")], EIGHT),
    "a structured dtype": HELLO + READY + answer(0, [array("<f8,<f8")], EIGHT),
    "a dtype that is not text": HELLO + READY + answer(0, [["a", "b", "", 3, [2]]], EIGHT),
    "a shape larger than the payload": HELLO + READY + answer(0, [array(shape=[3])], EIGHT),
    "a shape smaller than the payload": HELLO + READY + answer(0, [array(shape=[1])], EIGHT),
    "a negative axis": HELLO + READY + answer(0, [array(shape=[-1])], b""),
    "a huge axis of nothing": HELLO + READY + answer(0, [array(shape=[0, 2**40])], b""),
    "huge axes of nothing": HELLO + READY + answer(0, [array(shape=[0] + [2**30] * 6)], b""),
    "nine axes": HELLO + READY + answer(0, [array(shape=[1] * 9)], EIGHT[:8]),
    "an axis that is true": HELLO + READY + answer(0, [array(shape=[True])], EIGHT[:8]),
    "an axis that is 1.0": HELLO + READY + answer(0, [array(shape=[1.0])], EIGHT[:8]),
    "more values than the limit": HELLO
    + READY
    + answer(0, [["a", "", "b", "", []]] * (protocol.VALUES_LIMIT + 1), b""),
    "two single values": HELLO + READY + answer(0, [array(shape=[0])] * 2, container="single"),
    "an unknown container": HELLO + READY + answer(0, [array()], EIGHT, container="set"),
    "a container that is a list": HELLO + READY + answer(0, [array()], EIGHT, container=[]),
    "names without a dictionary": HELLO + READY + answer(0, [array()], EIGHT, names=["a"]),
    "a dictionary without names": HELLO
    + READY
    + answer(0, [array()], EIGHT, container="dictionary"),
    "a time that is not a number": HELLO
    + READY
    + answer(0, [array()], EIGHT, seconds=float("nan")),
    "a time before the start": HELLO + READY + answer(0, [array()], EIGHT, seconds=-1.0),
    "an unknown remark": HELLO + READY + answer(0, [["NoneType", "", ["why", "", ""], "", []]]),
    "a value without an array or a remark": HELLO
    + READY
    + answer(0, [["NoneType", "", None, "", []]]),
    "an unknown note": HELLO + READY + answer(0, [array()], EIGHT, notes=[["x", "", ""]]),
    "a position before the first": HELLO + READY + answer(0, [array()], EIGHT, changed=[-1]),
    "positions out of order": HELLO + READY + answer(0, [array()], EIGHT, changed=[1, 0]),
    "a warning of two facts": HELLO + READY + answer(0, [array()], EIGHT, warnings=[["W", "t"]]),
    "meta that is not JSON": HELLO + READY[:16] + b"\0" * 8 + b"{not json......",
    "meta nested without end": protocol.HEADER.pack(protocol.MAGIC, protocol.HELLO, 0, 4096, 0)
    + b"[" * 4096,
    "a failure without a dictionary": HELLO
    + READY
    + protocol.encode_frame(protocol.RAISED, 0, [1]),
    "a line number like 1e999": HELLO
    + READY
    + protocol.encode_frame(protocol.RAISED, 0, {"seconds": 0.0, "line": float("inf")}),
    "a line number beyond all files": HELLO
    + READY
    + protocol.encode_frame(protocol.RAISED, 0, {"seconds": 0.0, "line": 10**300}),
}


@pytest.mark.parametrize("bytes_", HOSTILE.values(), ids=HOSTILE)
def test_hostile_bytes_are_a_protocol_error(bytes_: bytes) -> None:
    with pytest.raises(ProtocolError):
        list(Reception(calls=2).feed(bytes_))


def test_frames_before_a_protocol_error_are_kept() -> None:
    messages = Reception(calls=2).feed(HELLO + READY + b"garbage" * 10)
    assert [type(next(messages)) for _ in range(2)] == [Hello, Ready]
    with pytest.raises(ProtocolError):
        next(messages)


def test_a_frame_over_the_budget_is_refused_by_its_header() -> None:
    header = protocol.HEADER.pack(protocol.MAGIC, protocol.RETURNED, 0, 100, 2000)
    with pytest.raises(ProtocolError, match="budget"):
        list(Reception(calls=1, budget=1000).feed(HELLO + READY + header))


def test_texts_are_cleaned_of_escapes_control_characters_and_surrogates() -> None:
    meta = {"type": "E\x1b[31m", "message": "a\x1b]0;title\x07b\u202e\ud800\x00c", "seconds": 0.0}
    (*_, raised) = Reception(1).feed(
        HELLO + READY + protocol.encode_frame(protocol.RAISED, 0, meta)
    )
    assert isinstance(raised, Raised)
    assert (raised.facts.type_name, raised.facts.message) == ("E", "abc")


def test_a_refusal_has_line_and_column() -> None:
    meta = {"kind": "syntax", "type": "SyntaxError", "message": "m", "file": 0, "line": 3}
    (*_, refused) = Reception(1).feed(HELLO + protocol.encode_frame(protocol.REFUSED, 0, meta))
    assert isinstance(refused, Refused)
    assert (refused.facts.kind, refused.facts.line, refused.facts.column) == ("syntax", 3, None)


def test_meta_longer_than_the_limit_raises_value_error() -> None:
    with pytest.raises(ValueError, match="meta"):
        protocol.encode_frame(protocol.RAISED, 0, {"message": "x" * protocol.META_LIMIT})


def conversations() -> list[bytes]:
    """Return honest conversations that use every kind of frame."""
    arrays = [array("<f8", [2, 2]), array("|b1", []), ["NoneType", "", ["none", "", ""], "", []]]
    payload = np.zeros((2, 2)).tobytes() + b"\1"
    raised = {
        "type": "E",
        "message": "m",
        "frames": [[0, 1, "f"]],
        "seconds": 0.5,
        "errno": 1,
    }
    failed = protocol.encode_frame(protocol.RAISED, 1, raised)
    refused = {"kind": "missing", "defined": ["g"], "found": "", "line": None, "memory": False}
    return [
        HELLO + READY + answer(0, arrays, payload) + failed + END,
        HELLO + protocol.encode_frame(protocol.REFUSED, 0, refused),
    ]


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Return `data` with a few bytes changed, cut, doubled, or a number in its JSON replaced."""
    changed = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        place = draw.randrange(len(changed))
        what = draw.randrange(5)
        if what == 0:
            changed[place] = draw.randrange(256)
        elif what == 1:
            del changed[place : place + draw.randint(1, 30)]
        elif what == 2:
            changed[place:place] = changed[place : place + draw.randint(1, 60)]
        elif what == 3:
            changed[place : place + 8] = draw.choice(
                [b"\xff" * 8, b"\0" * 8, b"\0\0\0\0\0\0\0\x80", draw.randbytes(8)]
            )
        else:
            values: list[Any] = [-1, 2**31, 2**64, 1e999, None, True, "x", [], {}, [[]], "|O"]
            text = json.dumps(draw.choice(values)).encode()
            changed[place : place + 1] = text
        if not changed:
            break
    return bytes(changed)


def fuzz(count: int, seed: int) -> int:
    """Feed `count` mutated conversations in random pieces; return how many were refused."""
    draw = random.Random(seed)
    honest = conversations()
    refused = 0
    for _ in range(count):
        reception = Reception(calls=2, budget=4096)
        data = mutated(draw.choice(honest), draw)
        cut = draw.randrange(len(data) + 1)
        try:
            list(reception.feed(data[:cut]))
            list(reception.feed(data[cut:]))
        except ProtocolError:
            refused += 1
    return refused


def test_mutated_frames_raise_only_protocol_errors() -> None:
    assert fuzz(4000, seed=1) > 2000


if __name__ == "__main__":  # python -m tests.runners.test_channel: the full run
    import time
    import tracemalloc

    tracemalloc.start()
    began = time.perf_counter()
    number = fuzz(200_000, seed=2)
    peak = tracemalloc.get_traced_memory()[1]
    seconds = time.perf_counter() - began
    print(f"200000 frames, {number} refused, {seconds:.1f} s, peak {peak / 1e6:.2f} MB")
