"""What an implementation returned, as plain arrays: the only reading of learners' objects.

It runs where the implementation ran, so it may call what it likes of the objects; what leaves is
an exact `numpy.ndarray` in native order with a dtype of kind b, i, u, f or c, or a phrase that
says why there is none.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import protocol

_ndarray, _generic, _array, _asarray = np.ndarray, np.generic, np.array, np.asarray
_NATIVE = frozenset(np.dtype(code) for code in "?bBhHiIlLqQfdFD")
"""native order; a dtype of the other order is not equal to any of them"""
NAMES = {dtype: str(dtype) for dtype in _NATIVE}
"""of the dtypes that need no conversion"""


Container = Literal["single", "tuple", "list", "dictionary"]


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One returned value as plain data.

    `array` is an exact `numpy.ndarray` in native byte order with a dtype of kind b, i, u, f or c
    that shares memory with nothing; None when the value is not array-like, and then `why_not`
    says so. `type_name` and `dtype` are the learner's (`numpy.matrix`, `>f4`); a list or a Python
    number has no dtype of its own.
    """

    type_name: str
    array: NDArray[Any] | None = None
    dtype: str = ""
    why_not: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a call returned. `names` are a dictionary's keys, else empty."""

    container: Container
    type_name: str
    values: tuple[Value, ...]
    names: tuple[str, ...] = ()


def read(result: Any, single: bool) -> tuple[Answer, list[str]]:
    """Return what `result` is, and notes for the learner.

    `single` says that one value is promised, not several.
    """
    notes: list[str] = []
    container: Container = "single"
    if isinstance(result, tuple):
        if not single or _holds_arrays(result):
            container = "tuple"
        else:
            container = "single" if _leaf(result, []).array is not None else "tuple"
    elif isinstance(result, list):
        listed = not single or (_holds_arrays(result) and _leaf(result, []).array is None)
        container = "list" if listed else "single"
    elif isinstance(result, dict):
        return _dictionary(result, notes)
    if container == "single":
        value = _leaf(result, notes)
        return Answer("single", value.type_name, (value,)), notes
    values = tuple(_leaf(item, notes) for item in result[: protocol.VALUES_LIMIT])
    _note_count(len(result), notes)
    return Answer(container, type_name(result), values), notes


def _holds_arrays(result: Any) -> bool:
    """Return whether these look like several returned values, not like the rows of one."""
    return any(isinstance(item, _ndarray) and item.ndim for item in result)


def _note_count(count: int, notes: list[str]) -> None:
    if count > protocol.VALUES_LIMIT:
        notes.append(f"returned {count} values; the first {protocol.VALUES_LIMIT} were read")


def _dictionary(result: dict[Any, Any], notes: list[str]) -> tuple[Answer, list[str]]:
    if not all(isinstance(key, str) for key in result):
        why_not = "a dictionary with keys that are not text"
        return Answer("single", "dict", (Value("dict", None, "", why_not),)), notes
    items = list(result.items())[: protocol.VALUES_LIMIT]
    values = tuple(_leaf(value, notes) for _, value in items)
    names = tuple(str(key)[: protocol.NAME_LIMIT] for key, _ in items)
    _note_count(len(result), notes)
    return Answer("dictionary", type_name(result), values, names), notes


def type_name(value: Any) -> str:
    """Return the name of a value's type as a learner knows it: `list`, `numpy.matrix`."""
    kind = type(value)
    if kind is _ndarray:
        return "numpy.ndarray"
    root = str(kind.__module__).partition(".")[0]
    name = str(kind.__qualname__)[: protocol.NAME_LIMIT]
    return f"numpy.{name}" if root == "numpy" else name


def _leaf(value: Any, notes: list[str]) -> Value:
    name = type_name(value)
    if isinstance(value, (_ndarray, _generic)):
        return _numpy(name, value, notes)
    if isinstance(value, (bool, int, float, complex)):
        array = _array(value)
        if array.dtype.kind == "O":
            return Value(name, None, "", "a whole number too large for 64 bits")
        return Value(name, array, "", "")
    if isinstance(value, (list, tuple, range)):
        plain = _nested(name, value)
        if plain.array is not None:
            notes.append(f"a {name} came back; it was read as an array")
        return plain
    return Value(name, None, "", _why_not(name, value))


def _numpy(name: str, value: Any, notes: list[str]) -> Value:
    dtype = NAMES.get(value.dtype) or str(value.dtype)[: protocol.NAME_LIMIT]
    why_not = ""
    if value.dtype.kind not in "biufc":
        why_not = _kind_of(value.dtype)
    elif value.ndim > protocol.AXES_LIMIT:
        why_not = f"an array with {value.ndim} axes"
    elif not value.size and max(value.shape) >= protocol.AXIS_LIMIT:
        why_not = f"an array with an axis of length {max(value.shape)}"
    elif name == "numpy.MaskedArray" or isinstance(value, _masked_array()):
        if bool(np.ma.is_masked(value)):
            why_not = "a masked array with masked entries"
        else:
            notes.append("a masked array came back; nothing in it was masked, so its data counts")
            value = value.data
    if why_not:
        return Value(name, None, dtype, why_not)
    return Value(name, native(value), dtype, "")


def native(value: Any) -> Any:
    """Return a fresh exact ndarray, C order, native, of a dtype that every machine has."""
    dtype = value.dtype if value.dtype in _NATIVE else value.dtype.newbyteorder("=")
    if dtype not in _NATIVE:
        dtype = np.dtype("complex128" if dtype.kind == "c" else "float64")
        with np.errstate(all="ignore"):
            return _array(value, dtype=dtype, order="C", copy=True, subok=False)
    return _array(value, dtype=dtype, order="C", copy=True, subok=False)


def _masked_array() -> tuple[type, ...]:
    loaded = sys.modules.get("numpy.ma")
    kind = getattr(loaded, "MaskedArray", None)
    return (kind,) if isinstance(kind, type) else ()


def _kind_of(dtype: Any) -> str:
    phrases = {
        "O": "an array of Python objects (dtype=object)",
        "U": "an array of text",
        "S": "an array of bytes",
        "M": "an array of dates",
        "m": "an array of time differences",
    }
    return phrases.get(dtype.kind, f"an array of dtype {str(dtype)[: protocol.NAME_LIMIT]}")


def _nested(name: str, value: Any) -> Value:
    try:
        array = _array(value)
    except (ValueError, TypeError, OverflowError):
        return Value(name, None, "", f"a {name} whose rows have different lengths")
    if array.dtype.kind == "O":
        return Value(name, None, "", f"a {name} that holds {_stranger(value)}")
    if array.dtype.kind not in "biufc":
        return Value(name, None, "", f"a {name} that does not hold numbers")
    if array.ndim > protocol.AXES_LIMIT:
        return Value(name, None, "", f"a {name} nested {array.ndim} deep")
    return Value(name, native(array), "", "")


def _stranger(value: Any) -> str:
    """Return what keeps a nested list from being numbers."""
    queue = [value]
    for _ in range(1000):
        if not queue:
            break
        item = queue.pop()
        if isinstance(item, (list, tuple)):
            queue.extend(item[:100])
        elif item is None:
            return "None"
        elif not isinstance(item, (bool, int, float, complex, _ndarray, _generic)):
            return _why_not(type_name(item), item)
    return "something that is not a number"


def _why_not(name: str, value: Any) -> str:
    if value is None:
        return "None: is a return missing?"
    if isinstance(value, types.CoroutineType):
        return "a coroutine: the function is async"
    if isinstance(value, types.GeneratorType):
        return "a generator: it must return, not yield"
    if isinstance(value, str):
        return "text"
    if isinstance(value, (bytes, bytearray)):
        return "bytes"
    if isinstance(value, type):
        return "a class"
    if isinstance(value, dict):
        return "a dictionary"
    if isinstance(value, (set, frozenset)):
        return "a set: it has no order"
    if callable(value):
        return "a function: are the parentheses of a call missing?"
    if isinstance(value, Iterator):
        return f"a {name}: it must be turned into an array first"
    return f"an object of type {name}, not an array"
