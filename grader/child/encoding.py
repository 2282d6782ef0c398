"""Encode arguments as bytes and decode them.

The bytes are a payload of little-endian C-order arrays, and JSON nodes with offsets into it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import protocol

_native = {code: (np.dtype(code), np.dtype(code).newbyteorder("=")) for code in protocol.DTYPES}
_little_endian: dict[Any, tuple[Any, str]] = {}


def encode_calls(calls: Sequence[tuple[Any, ...]]) -> protocol.Calls:
    """Return the encoded arguments of calls; TypeError for an unsupported type or dtype."""
    payload = bytearray()
    nodes = [_encode_arguments(arguments, payload) for arguments in calls]
    return protocol.Calls(protocol.to_json(nodes).encode("ascii"), bytes(payload))


def decode_arguments(nodes: list[Any], payload: memoryview) -> list[Any]:
    """Return new arguments for one call; an object passed twice is one object here too."""
    arguments: list[Any] = []
    for node in nodes:
        same = node[0] == "same"
        arguments.append(arguments[node[1]] if same else _decode(node, payload))
    return arguments


def little_endian(dtype: Any) -> tuple[Any, str]:
    """Return the little-endian form of a native dtype and its code, such as `<f8`."""
    if dtype not in _little_endian:
        other = dtype.newbyteorder("<")
        _little_endian[dtype] = other, other.str
    return _little_endian[dtype]


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
        if dtype not in protocol.DTYPES:
            raise TypeError(f"an argument of dtype {value.dtype} cannot be encoded")
        start, _ = protocol.store(np.asarray(value).astype(dtype).tobytes(), payload)
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        return [kind, dtype, list(value.shape), start]
    if type(value) in (list, tuple):
        return [type(value).__name__, [_encode(item, payload) for item in value]]
    if type(value) is dict:
        return ["dict", [[str(key), _encode(item, payload)] for key, item in value.items()]]
    raise TypeError(f"an argument of type {type(value).__name__} cannot be encoded")


def _decode(node: list[Any], payload: memoryview) -> Any:
    kind = node[0]
    if kind == "plain":
        return node[1]
    if kind == "array" or kind == "scalar":
        _, code, shape, start = node
        dtype, native = _native[code]
        size = math.prod(shape) * dtype.itemsize
        flat = np.frombuffer(payload[start : start + size], dtype)
        array = flat.astype(native).reshape(shape)
        return array if kind == "array" else array[()]
    if kind == "complex":
        return complex(node[1], node[2])
    if kind == "dict":
        return {key: _decode(item, payload) for key, item in node[1]}
    items = [_decode(item, payload) for item in node[1]]
    return items if kind == "list" else tuple(items)
