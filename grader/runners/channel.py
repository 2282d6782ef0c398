"""The bytes between the grader and the process that runs learner code.

Grader to child: one *job*, `JOB` header, JSON, payload. Child to grader: *frames*, `HEADER`, at
most `META_LIMIT` bytes of JSON, raw little-endian C-order payload. Nothing is ever unpickled or
evaluated, and arrays have a dtype of `DTYPES`. The child imports this
module without the rest of the grader; `reception` is the grader's strict reading of frames.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

MAGIC = b"GRD1"
HEADER = struct.Struct("<4sB3xIIQ")
"""magic, kind, index of the call, length of the meta, length of the payload"""
JOB = struct.Struct("<4sIQ")
"""magic, length of the JSON, length of the payload"""

HELLO, READY, REFUSED, RETURNED, RAISED, END = range(1, 7)
"""kinds of frames: the worker is up; the file is loaded; it is not; two kinds of results; done"""

META_LIMIT = 4096
VALUES_LIMIT = 8
"""arrays in one answer"""
LISTED_LIMIT = 16
"""values in one answer, those without an array included"""
AXES_LIMIT = 8
AXIS_LIMIT = 2**31
RESULT_BUDGET = 64 * 2**20
"""bytes of all payloads of one submission"""
DTYPES = frozenset(
    ["|b1", "|i1", "|u1"]
    + [f"<{kind}{size}" for kind in "iu" for size in (2, 4, 8)]
    + ["<f4", "<f8", "<c8", "<c16"]
)


_to_json = json.JSONEncoder(separators=(",", ":")).encode
_native = {code: (np.dtype(code), np.dtype(code).newbyteorder("=")) for code in DTYPES}


_travelling: dict[Any, tuple[Any, str]] = {}


class Job(NamedTuple):
    """What the child is told: the learner's files and the inputs, never an expected value."""

    name: str
    source: bytes
    helpers: dict[str, bytes]
    entry_point: str
    single: bool
    """one value is promised, not several"""
    marker: str
    """what separates the output of two calls in the output stream"""
    seconds: float
    """limit of one call"""
    memory_mb: int
    cpu_seconds: int
    result_budget: int
    calls: list[list[Any]]
    """per call the nodes of its arguments, for `decode_arguments`"""
    payload: memoryview


def encode_frame(kind: int, index: int, meta: object, payloads: Sequence[bytes] = ()) -> bytes:
    """Return one frame; ValueError when the meta is longer than `META_LIMIT`."""
    text = b"" if meta is None else _to_json(meta).encode("ascii")
    if len(text) > META_LIMIT:
        raise ValueError(f"meta of {len(text)} bytes")
    size = sum(map(len, payloads))
    return b"".join((HEADER.pack(MAGIC, kind, index, len(text), size), text, *payloads))


class Calls(NamedTuple):
    """The inputs of a problem's calls, encoded once for all submissions."""

    nodes: bytes
    """JSON: per call the nodes of its arguments"""
    payload: bytes


def encode_calls(calls: Sequence[tuple[Any, ...]]) -> Calls:
    """Return the arguments of calls as bytes; TypeError when one cannot travel."""
    payload = bytearray()
    nodes = [_encode_arguments(arguments, payload) for arguments in calls]
    return Calls(_to_json(nodes).encode("ascii"), bytes(payload))


def encode_job(
    calls: Calls,
    *,
    name: str,
    source: bytes,
    helpers: Mapping[str, bytes],
    entry_point: str,
    single: bool,
    marker: str,
    seconds: float,
    memory_mb: int,
    cpu_seconds: int,
    result_budget: int = RESULT_BUDGET,
) -> bytes:
    """Return the bytes of a job."""
    files = bytearray()
    meta = {
        "name": name,
        "source": _store(source, files, len(calls.payload)),
        "helpers": {
            helper: _store(text, files, len(calls.payload)) for helper, text in helpers.items()
        },
        "entry_point": entry_point,
        "single": single,
        "marker": marker,
        "seconds": seconds,
        "memory_mb": memory_mb,
        "cpu_seconds": cpu_seconds,
        "result_budget": result_budget,
    }
    text = b"%b,%b]" % (_to_json([meta])[:-1].encode("ascii"), calls.nodes)
    header = JOB.pack(MAGIC, len(text), len(calls.payload) + len(files))
    return b"".join((header, text, calls.payload, files))


def job_size(header: bytes) -> int:
    """Return how many bytes follow the header of a job."""
    magic, meta, payload = JOB.unpack(header)
    if magic != MAGIC:
        raise ValueError("not a job")
    return int(meta + payload)


def decode_job(data: bytes | memoryview) -> Job:
    """Return the job that `encode_job` wrote; the payload is not copied."""
    view = memoryview(data)
    _, length, size = JOB.unpack(view[: JOB.size])
    meta, calls = json.loads(bytes(view[JOB.size : JOB.size + length]))
    payload = view[JOB.size + length : JOB.size + length + size]
    meta["source"] = _fetch(meta["source"], payload)
    meta["helpers"] = {name: _fetch(span, payload) for name, span in meta["helpers"].items()}
    return Job(**meta, calls=calls, payload=payload)


def decode_arguments(nodes: list[Any], payload: memoryview) -> list[Any]:
    """Return fresh arguments of one call; what was one object in the grader is one object."""
    arguments: list[Any] = []
    for node in nodes:
        same = node[0] == "same"
        arguments.append(arguments[node[1]] if same else _decode(node, payload))
    return arguments


def little_endian(dtype: Any) -> tuple[Any, str]:
    """Return the dtype and the code with which arrays of a native dtype travel."""
    if dtype not in _travelling:
        other = dtype.newbyteorder("<")
        _travelling[dtype] = other, other.str
    return _travelling[dtype]


def unchanged(node: list[Any], argument: Any, payload: memoryview) -> bool:
    """Return whether an argument that was decoded from `node` still has its bytes."""
    if node[0] != "array":
        return True
    original = bytes(payload[node[3] : node[3] + argument.nbytes])
    return bool(argument.tobytes() == original)


def _store(data: bytes, payload: bytearray, offset: int = 0) -> list[int]:
    start = offset + len(payload)
    payload += data
    return [start, len(data)]


def _fetch(span: list[int], payload: memoryview) -> bytes:
    return bytes(payload[span[0] : span[0] + span[1]])


def _encode_arguments(arguments: tuple[Any, ...], payload: bytearray) -> list[Any]:
    nodes: list[Any] = []
    seen: dict[int, int] = {}
    for position, argument in enumerate(arguments):
        first = seen.setdefault(id(argument), position)
        shared = first != position and not _is_plain(argument)
        nodes.append(["same", first] if shared else _encode(argument, payload))
    return nodes


def _is_plain(value: Any) -> bool:
    return value is None or type(value) in (bool, int, float, str)


def _encode(value: Any, payload: bytearray) -> list[Any]:
    if _is_plain(value):
        return ["plain", value]
    if type(value) is complex:
        return ["complex", value.real, value.imag]
    if isinstance(value, (np.ndarray, np.generic)):
        dtype = value.dtype.newbyteorder("<").str
        if dtype not in DTYPES:
            raise TypeError(f"an argument of dtype {value.dtype} cannot travel")
        start, _ = _store(np.asarray(value).astype(dtype).tobytes(), payload)
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        return [kind, dtype, list(value.shape), start]
    if type(value) in (list, tuple):
        return [type(value).__name__, [_encode(item, payload) for item in value]]
    if type(value) is dict:
        return ["dict", [[str(key), _encode(item, payload)] for key, item in value.items()]]
    raise TypeError(f"an argument of type {type(value).__name__} cannot travel")


def _decode(node: list[Any], payload: memoryview) -> Any:
    kind = node[0]
    if kind == "plain":
        return node[1]
    if kind == "array" or kind == "scalar":
        _, code, shape, start = node
        dtype, native = _native[code]
        count = 1
        for length in shape:
            count *= length
        flat = np.frombuffer(payload[start : start + count * dtype.itemsize], dtype)
        array = flat.astype(native).reshape(shape)
        return array if kind == "array" else array[()]
    if kind == "complex":
        return complex(node[1], node[2])
    if kind == "dict":
        return {key: _decode(item, payload) for key, item in node[1]}
    items = [_decode(item, payload) for item in node[1]]
    return items if kind == "list" else tuple(items)
