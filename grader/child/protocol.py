"""The bytes between the grader and the process that runs learner code, and all limits on them.

Grader to child: one *request*: `REQUEST` header, JSON, payload. Child to grader: *frames*:
`HEADER`, at most `META_LIMIT` bytes of JSON, raw little-endian C-order payload. Nothing is ever
unpickled or evaluated, and arrays have a dtype of `DTYPES`. `grader.runners.frames` is the
grader's strict reading of frames.

A confined child and the grader share a *slot* of memory, which serves one child at a time. The
first page of a slot holds two words. The request begins on the second page, and the child's frames
begin on the page after the request. The word at `COMMITTED` counts the bytes of complete frames.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

MAGIC = b"GRD1"
HEADER = struct.Struct("<4sB3xIIQ")
"""magic, kind, index of the call, length of the meta, length of the payload"""
REQUEST = struct.Struct("<4sIQ")
"""magic, length of the JSON, length of the payload"""

HELLO, READY, REFUSED, RETURNED, RAISED, END = range(1, 7)
"""kinds of frames: the child is up; the file is loaded; it cannot be; two results of a call; end"""

META_LIMIT = 2**19
"""bytes of JSON in one frame: more than the longest texts below make, 12 bytes a character"""
RESULT_BUDGET = 64 * 2**20
"""bytes of all payloads of one submission"""
OUTPUT_LIMIT = 2**20
"""bytes of output of one child, which is killed when it prints more"""
VALUES_LIMIT = 64
"""values in one answer"""
AXES_LIMIT = 8
AXIS_LIMIT = 2**31
NAME_LIMIT = 80
"""characters of the name of a type, a function, a dtype, a module or a key"""
NOTES_LIMIT = 16
"""remarks about the answer of one call"""
WARNING_LIMIT = 200
"""characters of a warning's text"""
WARNINGS_LIMIT = 5
"""warnings of one call, or of loading the file"""
MESSAGE_LIMIT = 1000
"""characters of an exception's message"""
FRAMES_LIMIT = 16
"""the learner's own frames in one traceback"""
DEFINED_LIMIT = 12
"""names reported for a file that does not define the entry point"""
FILE_LIMIT = 16 * 2**20
"""bytes of one file that a child of the `process` runner may write"""
DESCRIPTORS_LIMIT = 64
TASKS_LIMIT = 64
"""threads of a confined child, the main one included; `ThreadPoolExecutor` starts up to 32"""
STARTS_LIMIT = 256
"""threads that a confined child may start in all where its threads cannot be counted"""
DTYPES = frozenset(
    ["|b1", "|i1", "|u1"]
    + [f"<{kind}{size}" for kind in "iu" for size in (2, 4, 8)]
    + ["<f4", "<f8", "<c8", "<c16"]
)

MEMORY_SIZE = 192 * 2**20
"""bytes of one slot; the system allocates a page when it is first written"""
INPUTS_LIMIT = MEMORY_SIZE * 7 // 8 - RESULT_BUDGET - FILE_LIMIT
"""bytes of the inputs of all calls, beside a submission's files and its answers in one slot"""
PAGE = 4096
WORD = struct.Struct("=Q")
COMMITTED, REQUEST_LENGTH = 0, 8
"""offsets of the words: bytes of complete frames; bytes of the request"""

COMMAND = struct.Struct("=BBHII")
"""kind, slot, whether there is time to prepare, MiB of memory, seconds of CPU time"""
FORK, KILL, TRACE = range(1, 4)

EVENT = struct.Struct("=BBHiQI")
"""kind, slot, limit on tasks, status, KiB of peak memory, ms of processor time"""
TRIED, EXITED, FAILED = range(1, 4)
"""the sandbox was tried (slot: Landlock's ABI, status: its working layers); a child ended; no child
could be started"""
LANDLOCK, SECCOMP, TRUNCATE, TCP, DEVICES, SIGNALS, LIMITS, PRIVILEGES, PATHS, PROC = (
    1 << i for i in range(10)
)
"""the layers of the sandbox that can be missing, as bits of the status of TRIED: Landlock for
files, seccomp, Landlock for more, resource limits, no capabilities, a root of its own"""
REAL_UID, NAMESPACE, ASKED, NO_THREADS = range(1, 5)
"""the ways to limit a child's tasks: `TASKS_LIMIT` of a real user id or a user namespace of its
own; `STARTS_LIMIT` starts, which the zygote counts; none besides the main one"""

to_json = json.JSONEncoder(separators=(",", ":")).encode


class Request(NamedTuple):
    """A decoded request: the learner's files and the inputs of calls, without expected values.

    Times are in seconds, `memory_mb` in MiB, `result_budget` in bytes.
    """

    name: str
    source: bytes
    helpers: dict[str, bytes]
    entry_point: str
    single: bool
    """whether the problem promises one value"""
    marker: str
    """ends the output of each call in the output stream"""
    seconds: float
    """limit of one call, wall-clock time"""
    memory_mb: int
    cpu_seconds: int
    result_budget: int
    calls: list[list[Any]]
    """per call the nodes of its arguments, for `decode_arguments`"""
    payload: memoryview


def encode_frame(kind: int, index: int, meta: object, payloads: Sequence[bytes] = ()) -> bytes:
    """Return one frame; ValueError when the JSON of `meta` is longer than `META_LIMIT`."""
    text = b"" if meta is None else to_json(meta).encode("ascii")
    if len(text) > META_LIMIT:
        raise ValueError(f"meta of {len(text)} bytes")
    size = sum(map(len, payloads))
    return b"".join((HEADER.pack(MAGIC, kind, index, len(text), size), text, *payloads))


class Calls(NamedTuple):
    """The inputs of a problem's calls, encoded once for all submissions."""

    nodes: bytes
    """JSON: per call the nodes of its arguments"""
    payload: bytes


def encode_request(
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
    """Return the bytes of a request; `Request` documents the fields."""
    files = bytearray()
    meta = {
        "name": name,
        "source": store(source, files, len(calls.payload)),
        "helpers": {
            helper: store(text, files, len(calls.payload)) for helper, text in helpers.items()
        },
        "entry_point": entry_point,
        "single": single,
        "marker": marker,
        "seconds": seconds,
        "memory_mb": memory_mb,
        "cpu_seconds": cpu_seconds,
        "result_budget": result_budget,
    }
    text = b"%b,%b]" % (to_json([meta])[:-1].encode("ascii"), calls.nodes)
    header = REQUEST.pack(MAGIC, len(text), len(calls.payload) + len(files))
    return b"".join((header, text, calls.payload, files))


def request_size(header: bytes) -> int:
    """Return how many bytes follow the header of a request; ValueError for a wrong magic."""
    magic, meta, payload = REQUEST.unpack(header)
    if magic != MAGIC:
        raise ValueError("not a request")
    return int(meta + payload)


def decode_request(data: bytes | memoryview) -> Request:
    """Return the request that `encode_request` wrote; the payload is not copied."""
    view = memoryview(data)
    _, length, size = REQUEST.unpack(view[: REQUEST.size])
    meta, calls = json.loads(bytes(view[REQUEST.size : REQUEST.size + length]))
    payload = view[REQUEST.size + length : REQUEST.size + length + size]
    meta["source"] = _fetch(meta["source"], payload)
    meta["helpers"] = {name: _fetch(span, payload) for name, span in meta["helpers"].items()}
    return Request(**meta, calls=calls, payload=payload)


def store(data: bytes, payload: bytearray, offset: int = 0) -> list[int]:
    """Append `data` to a payload that begins at `offset`; return its start and length."""
    start = offset + len(payload)
    payload += data
    return [start, len(data)]


def _fetch(span: list[int], payload: memoryview) -> bytes:
    return bytes(payload[span[0] : span[0] + span[1]])


def frames_start(request_length: int) -> int:
    """Return the offset in bytes of the child's frames in a slot."""
    return PAGE + -(-request_length // PAGE) * PAGE
