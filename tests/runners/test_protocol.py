"""The bytes between grader and child: values arrive unchanged, hostile frames are refused."""

from __future__ import annotations

import dataclasses
import json
import random
from typing import Any

import numpy as np
import pytest

from grader.child import encoding, protocol
from grader.child.answers import Remark
from grader.child.calling import ChildWarning
from grader.runners.frames import (
    End,
    Facts,
    Hello,
    Message,
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


def test_arrays_inside_lists_and_dictionaries_arrive() -> None:
    listed, keyed = sent([np.arange(2)], {"a": np.arange(3.0)})
    np.testing.assert_array_equal(listed[0], [0, 1])
    np.testing.assert_array_equal(keyed["a"], [0.0, 1.0, 2.0])


def test_answers_are_sent_in_little_endian_order() -> None:
    code = f"U{random.randrange(1, 2**20)}"  # one that is not kept from an earlier test
    for _ in range(2):
        dtype, told = encoding.little_endian(np.dtype(f">{code}"))
        assert (dtype.str, told) == (f"<{code}", f"<{code}")


def test_arguments_keep_object_identity() -> None:
    one, other = np.ones(2), np.ones(2)
    first, second, third = sent(one, other, one)
    assert first is third
    assert first is not second


def test_source_and_helpers_arrive_byte_for_byte() -> None:
    """They follow the arrays in the payload."""
    given = request(np.arange(5.0))
    assert (given.source, given.helpers) == (b"\xff\x00source", {"helpers": b"text"})


def test_the_header_of_a_request_tells_how_many_bytes_follow() -> None:
    header = protocol.REQUEST.pack(protocol.MAGIC, 3, 2**40)
    assert protocol.request_size(header) == 3 + 2**40
    with pytest.raises(ValueError, match=r"^not a request$"):
        protocol.request_size(protocol.REQUEST.pack(b"GRD0", 3, 4))


@pytest.mark.parametrize(("length", "pages"), [(0, 1), (1, 2), (4096, 2), (4097, 3)])
def test_frames_begin_on_the_page_after_the_request(length: int, pages: int) -> None:
    assert protocol.frames_start(length) == pages * protocol.PAGE


@pytest.mark.parametrize("argument", [np.array([None]), np.array(["a"]), object(), {1, 2}])
def test_an_argument_of_an_unsupported_type_raises_type_error(argument: Any) -> None:
    with pytest.raises(TypeError, match=rf"{type(argument).__name__}|dtype .* cannot"):
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


def test_the_messages_do_not_depend_on_where_the_bytes_were_split() -> None:
    conversation = HELLO + READY + answer(0, [array()], EIGHT) + END
    for cut in range(len(conversation)):
        reception = Reception(calls=1)
        pieces = conversation[: cut // 2], conversation[cut // 2 : cut], conversation[cut:]
        messages = [type(message) for piece in pieces for message in reception.feed(piece)]
        assert messages == [Hello, Ready, Returned, End], cut


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


def loaded(*frames: bytes) -> bytes:
    """Return the frames of a child that has loaded its file, followed by `frames`."""
    return HELLO + READY + b"".join(frames)


def raises(**meta: Any) -> bytes:
    return loaded(protocol.encode_frame(protocol.RAISED, 0, {"seconds": 0.0} | meta))


def header(kind: int, meta: int, payload: int) -> bytes:
    return protocol.HEADER.pack(protocol.MAGIC, kind, 0, meta, payload)


def remarked(*remark: Any) -> bytes:
    return loaded(answer(0, [["NoneType", "", list(remark), "", []]]))


def with_array(*given: Any, payload: bytes = EIGHT, **changed: Any) -> bytes:
    return loaded(answer(0, [array(*given)], payload, **changed))


WRONG_TYPE = "meta of the wrong type"
ORDER = "a frame out of order"
TOO_LARGE = "a frame larger than its budget"
SHAPE = "an impossible shape"
HOSTILE = {
    "no magic": (b"X" * 24, "a frame with a wrong magic"),
    "an unknown kind": (protocol.encode_frame(99, 0, None), "a frame of an unknown kind"),
    "a result before the file was loaded": (HELLO + answer(0, [array()], EIGHT), ORDER),
    "ready without hello": (READY, ORDER),
    "two hellos": (HELLO + HELLO, ORDER),
    "two readies": (loaded(READY), ORDER),
    "an answer to an unknown call": (loaded(answer(7, [array()], EIGHT)), ORDER),
    "an answer to a call out of turn": (loaded(answer(1, [array()], EIGHT)), ORDER),
    "a call answered twice": (loaded(2 * answer(0, [array()], EIGHT)), ORDER),
    "one answer more than calls": (
        loaded(*(answer(i, [array()], EIGHT) for i in range(3))),
        ORDER,
    ),
    "the end with calls missing": (loaded(END), ORDER),
    "bytes after a refusal": (
        HELLO + protocol.encode_frame(protocol.REFUSED, 0, {"kind": "import"}) + b"!",
        "bytes after the end",
    ),
    "bytes after the end": (
        loaded(*(answer(i, [array()], EIGHT) for i in range(2)), END, b"!"),
        "bytes after the end",
    ),
    "an unknown refusal": (
        HELLO + protocol.encode_frame(protocol.REFUSED, 0, {}),
        "an unknown refusal",
    ),
    "a huge payload": (header(protocol.HELLO, 0, 2**63), TOO_LARGE),
    "a huge meta": (header(protocol.HELLO, 2**31, 0), TOO_LARGE),
    "an unexpected payload": (
        protocol.encode_frame(protocol.HELLO, 0, None, [b"x"]),
        "an unexpected payload",
    ),
    "an unknown dtype": (with_array("|O8"), "an unknown dtype"),
    "a structured dtype": (with_array("<f8,<f8"), "an unknown dtype"),
    "a dtype that is not text": (
        loaded(answer(0, [["a", "b", "", 3, [2]]], EIGHT)),
        "an unknown dtype",
    ),
    "an unknown name of a dtype": (
        loaded(answer(0, [["a", "b", "", "<f8", [2]]], EIGHT)),
        "an unknown name of a dtype",
    ),
    "a name of a dtype without an array": (
        loaded(answer(0, [["a", "float64", ["none", "", ""], "", []]])),
        "a dtype without an array",
    ),
    "a shape larger than the payload": (
        with_array("<f8", [3]),
        "an array larger than its payload",
    ),
    "a shape smaller than the payload": (
        with_array("<f8", [1]),
        "a payload larger than its arrays",
    ),
    "a negative axis": (with_array("<f8", [-1], payload=b""), SHAPE),
    "a huge axis of nothing": (with_array("<f8", [0, 2**31], payload=b""), SHAPE),
    "huge axes of nothing": (with_array("<f8", [0] + [2**30] * 6, payload=b""), SHAPE),
    "nine axes": (with_array("<f8", [1] * 9, payload=EIGHT[:8]), "too many axes"),
    "an axis that is true": (with_array("<f8", [True], payload=EIGHT[:8]), SHAPE),
    "an axis that is 1.0": (with_array("<f8", [1.0], payload=EIGHT[:8]), SHAPE),
    "more values than the limit": (
        loaded(answer(0, [["a", "", "b", "", []]] * (protocol.VALUES_LIMIT + 1))),
        "a wrong number of values",
    ),
    "two single values": (
        loaded(answer(0, [array("<f8", [0])] * 2, container="single")),
        "a wrong number of values",
    ),
    "an unknown container": (with_array(container="set"), "an unknown container"),
    "a container that is a list": (with_array(container=[]), "an unknown container"),
    "names without a dictionary": (with_array(names=["a"]), "a wrong number of names"),
    "a dictionary without names": (
        with_array(container="dictionary"),
        "a wrong number of names",
    ),
    "a time that is not a number": (with_array(seconds=float("nan")), "an impossible time"),
    "a time before the start": (with_array(seconds=-1.0), "an impossible time"),
    "an unknown remark": (remarked("why", "", ""), "an unknown remark"),
    "a detail of a remark that has none": (
        remarked("none", "x", ""),
        "an unknown detail of a remark",
    ),
    "a remark that counts in words": (remarked("axes", "9", ""), "an impossible number"),
    "a remark without its count": (remarked("axes", None, ""), WRONG_TYPE),
    "a remark of two facts": (remarked("none", ""), WRONG_TYPE),
    "a value of four facts": (loaded(answer(0, [["NoneType", "", None, ""]])), WRONG_TYPE),
    "an answer of seven facts": (
        loaded(protocol.encode_frame(protocol.RETURNED, 0, ["tuple", "t", [], [], 0.5, [], []])),
        WRONG_TYPE,
    ),
    "a value without an array or a remark": (
        loaded(answer(0, [["NoneType", "", None, "", []]])),
        WRONG_TYPE,
    ),
    "an unknown note": (with_array(notes=[["x", "", ""]]), "an unknown remark"),
    "a position before the first": (with_array(changed=[-1]), "an impossible number"),
    "positions out of order": (with_array(changed=[1, 0]), "impossible positions"),
    "a warning of two facts": (with_array(warnings=[["W", "t"]]), WRONG_TYPE),
    "meta that is not JSON": (header(protocol.HELLO, 8, 0) + b"{not jso", "meta that is not JSON"),
    "meta nested without end": (
        header(protocol.HELLO, 4096, 0) + b"[" * 4096,
        "meta that is not JSON",
    ),
    "a failure without a dictionary": (
        loaded(protocol.encode_frame(protocol.RAISED, 0, [1])),
        WRONG_TYPE,
    ),
    "a frame of two facts": (raises(frames=[[0, 1]]), WRONG_TYPE),
    "a message that is a number": (raises(message=1), WRONG_TYPE),
    "a lack of memory that is a number": (raises(memory=1), WRONG_TYPE),
    "an error number of no refused call": (
        raises(errno=2),
        "an error number of no refused system call",
    ),
    "a line number like 1e999": (raises(line=float("inf")), "an impossible number"),
    "a line number beyond all files": (raises(line=2**31), "an impossible number"),
}


@pytest.mark.parametrize(("bytes_", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_bytes_are_a_protocol_error_with_its_reason(bytes_: bytes, reason: str) -> None:
    with pytest.raises(ProtocolError, match=f"^{reason}$"):
        list(Reception(calls=2).feed(bytes_))


def test_frames_before_a_protocol_error_are_kept() -> None:
    messages = Reception(calls=2).feed(HELLO + READY + b"garbage" * 10)
    assert [type(next(messages)) for _ in range(2)] == [Hello, Ready]
    with pytest.raises(ProtocolError):
        next(messages)


def test_a_frame_over_the_budget_is_refused_by_its_header() -> None:
    over = protocol.HEADER.pack(protocol.MAGIC, protocol.RETURNED, 0, 100, 2000)
    with pytest.raises(ProtocolError, match="budget"):
        list(Reception(calls=1, budget=1000).feed(loaded(over)))


def test_all_answers_together_may_use_exactly_the_budget() -> None:
    two = [answer(i, [array()], EIGHT) for i in range(2)]
    reception = Reception(calls=2, budget=32)
    *_, first, second = reception.feed(loaded(*two))
    assert isinstance(first, Returned)
    assert isinstance(second, Returned)
    assert (first.call, second.call, reception.budget) == (0, 1, 0)
    with pytest.raises(ProtocolError, match="budget"):
        list(Reception(calls=2, budget=31).feed(loaded(*two)))


def received(frames: bytes) -> Message:
    """Return the last message of `frames`."""
    *_, last = Reception(calls=1).feed(frames)
    return last


def test_every_fact_of_an_exception_arrives() -> None:
    raised = received(
        raises(
            type="ImportError",
            message="m\nn",
            frames=[[1, 3, "f"], [None, None, "g"]],
            errno=13,
            memory=True,
            missing="scipy",
            seconds=2e6,
        )
    )
    assert isinstance(raised, Raised)
    assert (raised.call, raised.seconds) == (0, 1e6)
    assert vars_of(raised.facts) == vars_of(
        Facts("", "ImportError", "m\nn", ((1, 3, "f"), (0, 0, "g")), 13, True, "scipy")
    )


def test_every_fact_of_a_refusal_arrives() -> None:
    meta = {"kind": "syntax", "file": 1, "line": 2, "column": 3, "found": "int"}
    names = [f"name{i}" for i in range(protocol.DEFINED_LIMIT + 1)]
    frame = protocol.encode_frame(protocol.REFUSED, 0, meta | {"defined": names})
    refused = received(HELLO + frame)
    assert isinstance(refused, Refused)
    expected = Facts("syntax", file=1, line=2, column=3, defined=tuple(names[:-1]), found="int")
    assert vars_of(refused.facts) == vars_of(expected)


def test_facts_that_a_child_leaves_out_are_empty() -> None:
    raised = received(raises())
    assert isinstance(raised, Raised)
    assert vars_of(raised.facts) == vars_of(Facts())


def vars_of(facts: Facts) -> dict[str, Any]:
    return {field.name: getattr(facts, field.name) for field in dataclasses.fields(facts)}


def test_every_fact_of_an_answer_arrives() -> None:
    values = [
        ["numpy.ndarray", ">f4", None, "<f4", [2, 0, 2]],
        ["numpy.ndarray", "float32", None, "<f8", [1]],
        ["list", "", None, "<f8", [1] * protocol.AXES_LIMIT],
        ["NoneType", "", ["none", "", ""], "", []],
        ["list", "", ["deep", 9, "list"], "", []],
        ["A\nB", "", ["object", "Thing", "list"], "", []],
    ]
    returned = received(
        loaded(
            answer(
                0,
                values,
                np.array([1.0, 2.0]).tobytes(),
                container="dictionary",
                type="dict",
                names=list("abcdef"),
                changed=[0, 2],
                notes=[["unmasked", "", ""], ["cut", 70, ""]],
                warnings=[["UserWarning", "w\n" + "x" * 300, 1, 7], ["W", "t", None, None]],
            )
        )
    )
    assert isinstance(returned, Returned)
    assert (returned.call, returned.seconds, returned.changed) == (0, 0.5, (0, 2))
    assert returned.notes == (Remark("unmasked"), Remark("cut", 70))
    longest = "w\n" + "x" * (protocol.WARNING_LIMIT - 2) + "..."
    assert returned.warnings == (
        ChildWarning("UserWarning", longest, 1, 7),
        ChildWarning("W", "t", None, 0),
    )
    given = returned.answer
    assert (given.container, given.type_name, given.names) == (
        "dictionary",
        "dict",
        tuple("abcdef"),
    )
    assert [(value.type_name, value.dtype, value.why_not) for value in given.values] == [
        ("numpy.ndarray", ">f4", None),
        ("numpy.ndarray", "float64", None),
        ("list", "", None),
        ("NoneType", "", Remark("none")),
        ("list", "", Remark("deep", 9, "list")),
        ("A B", "", Remark("object", "Thing", "list")),
    ]
    arrays = [value.array for value in given.values]
    assert [array is None or array.shape for array in arrays] == [
        (2, 0, 2), (1,), (1,) * protocol.AXES_LIMIT, True, True, True,
    ]  # fmt: skip
    assert [float(array.sum()) for array in arrays if array is not None] == [0.0, 1.0, 2.0]


def test_an_answer_may_have_as_many_values_as_the_limit() -> None:
    none = ["NoneType", "", ["none", "", ""], "", []]
    most = answer(0, [none] * protocol.VALUES_LIMIT)
    one = answer(0, [none], container="single")
    for frame, count in ((most, protocol.VALUES_LIMIT), (one, 1)):
        returned = received(loaded(frame))
        assert isinstance(returned, Returned)
        assert len(returned.answer.values) == count


def test_meta_may_be_as_long_as_the_limit() -> None:
    text = b"{}" + b" " * (protocol.META_LIMIT - 2)
    frame = header(protocol.HELLO, len(text), 0) + text
    assert isinstance(received(frame), Hello)


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
    longest = "x" * (protocol.META_LIMIT - len('""'))
    frame = protocol.encode_frame(protocol.RAISED, 0, longest)
    assert len(frame) == protocol.HEADER.size + protocol.META_LIMIT
    with pytest.raises(ValueError, match=f"^meta of {protocol.META_LIMIT + 1} bytes$"):
        protocol.encode_frame(protocol.RAISED, 0, longest + "x")


def test_a_frame_without_meta_has_none() -> None:
    assert protocol.encode_frame(protocol.END, 3, None, [b"x"]) == (
        protocol.HEADER.pack(protocol.MAGIC, protocol.END, 3, 0, 1) + b"x"
    )


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


if __name__ == "__main__":  # python -m tests.runners.test_protocol: the full run
    import time
    import tracemalloc

    tracemalloc.start()
    began = time.perf_counter()
    number = fuzz(200_000, seed=2)
    peak = tracemalloc.get_traced_memory()[1]
    seconds = time.perf_counter() - began
    print(f"200000 frames, {number} refused, {seconds:.1f} s, peak {peak / 1e6:.2f} MB")
