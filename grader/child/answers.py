"""Convert the objects that an implementation returned to plain arrays.

The conversion runs in the process of the implementation, so it may call methods of its objects. No
other code of the grader does. Each value becomes an exact `numpy.ndarray` in native byte order with
a dtype of kind b, i, u, f or c, or a `Remark` with the reason why it is not an array of numbers.
`grader.explain` turns remarks into sentences.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import protocol

_ndarray, _generic, _array = np.ndarray, np.generic, np.array
_NATIVE = frozenset(np.dtype(code) for code in "?bBhHiIlLqQfdFD")
"""in native byte order; a dtype in the other byte order does not equal any of them"""
NAMES = {dtype: str(dtype) for dtype in _NATIVE}
"""the names of the dtypes that need no conversion"""


Container = Literal["single", "tuple", "list", "dictionary"]

WHY_NOT = frozenset({
    "none", "coroutine", "generator", "text", "bytes", "class", "dictionary", "set", "function",
    "iterator", "object", "keys", "integer", "objects", "text_array", "bytes_array", "dates",
    "durations", "dtype", "axes", "long_axis", "masked", "ragged", "not_numbers", "not_a_number",
    "deep", "too_large",
})  # fmt: skip
"""keys of the remarks with the reason why a value is not an array of numbers"""
NOTES = frozenset({"read_as_array", "unmasked", "cut"})
"""keys of the remarks about a value that was accepted although it is not a plain array"""
COUNTED = frozenset({"axes", "too_large", "deep", "cut"})
"""keys of the remarks whose detail is a count"""
NAMED = frozenset({
    "iterator", "object", "dtype", "long_axis", "ragged", "not_numbers", "read_as_array",
})  # fmt: skip
"""keys of the remarks whose detail is a text; the others have none"""


@dataclass(frozen=True, slots=True)
class Remark:
    """A fact about a returned value: a key of `WHY_NOT` or `NOTES`, and its detail.

    `detail` is the name of a type or dtype, or a count; the key determines which. `inside` is the
    type of the list or tuple whose item the remark is about; "" for a remark about the value.
    """

    key: str
    detail: str | int = ""
    inside: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One returned value as plain data.

    `array` is an exact `numpy.ndarray` in native byte order with a dtype of kind b, i, u, f or c
    and memory of its own. It is None when the value is not an array of numbers; then `why_not` is
    set. `type_name` and `dtype` describe the learner's object (`numpy.matrix`, `>f4`); `dtype` is
    "" for a list, for a Python number and without `array`.
    """

    type_name: str
    array: NDArray[Any] | None = None
    dtype: str = ""
    why_not: Remark | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The returned value or values of a call. `names` are a dictionary's keys, else empty."""

    container: Container
    type_name: str
    values: tuple[Value, ...]
    names: tuple[str, ...] = ()


def read(result: Any, single: bool) -> tuple[Answer, list[Remark]]:
    """Return `result` as an answer of at most `VALUES_LIMIT` values, and notes for the learner.

    `single` is true when the problem promises one value; a list is then read as one array. Raises
    the exceptions that the learner's own classes raise.
    """
    notes: list[Remark] = []
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
    """Return whether the items look like several returned values, not like the rows of one."""
    return any(isinstance(item, _ndarray) and item.ndim for item in result)


def _note_count(count: int, notes: list[Remark]) -> None:
    if count > protocol.VALUES_LIMIT:
        notes.append(Remark("cut", min(count, protocol.AXIS_LIMIT - 1)))


def _dictionary(result: dict[Any, Any], notes: list[Remark]) -> tuple[Answer, list[Remark]]:
    if not all(isinstance(key, str) for key in result):
        return Answer("single", "dict", (Value("dict", None, "", Remark("keys")),)), notes
    items = list(result.items())[: protocol.VALUES_LIMIT]
    values = tuple(_leaf(value, notes) for _, value in items)
    names = tuple(str(key)[: protocol.NAME_LIMIT] for key, _ in items)
    _note_count(len(result), notes)
    return Answer("dictionary", type_name(result), values, names), notes


def type_name(value: Any) -> str:
    """Return the name of a value's type as learners write it: `list`, `numpy.matrix`."""
    kind = type(value)
    if kind is _ndarray:
        return "numpy.ndarray"
    root = str(kind.__module__).partition(".")[0]
    name = str(kind.__qualname__)[: protocol.NAME_LIMIT]
    return f"numpy.{name}" if root == "numpy" else name


def _leaf(value: Any, notes: list[Remark]) -> Value:
    name = type_name(value)
    if isinstance(value, (_ndarray, _generic)):
        return _numpy(name, value, notes)
    if isinstance(value, (bool, int, float, complex)):
        array = _array(value)
        if array.dtype.kind == "O":
            return Value(name, None, "", Remark("integer"))
        return Value(name, array)
    if isinstance(value, (list, tuple, range)):
        plain = _nested(name, value)
        if plain.array is not None:
            notes.append(Remark("read_as_array", name))
        return plain
    return Value(name, None, "", _why_not(name, value))


def _numpy(name: str, value: Any, notes: list[Remark]) -> Value:
    dtype = NAMES.get(value.dtype) or str(value.dtype)[: protocol.NAME_LIMIT]
    why_not: Remark | None = None
    if value.dtype.kind not in "biufc":
        why_not = _kind_of(value.dtype)
    elif value.ndim > protocol.AXES_LIMIT:
        why_not = Remark("axes", value.ndim)
    elif not value.size and max(value.shape) >= protocol.AXIS_LIMIT:
        why_not = Remark("long_axis", str(max(value.shape)))
    elif name == "numpy.MaskedArray" or isinstance(value, _masked_array()):
        if bool(np.ma.is_masked(value)):
            why_not = Remark("masked")
        else:
            notes.append(Remark("unmasked"))
            value = value.data
    if why_not:
        return Value(name, None, "", why_not)
    return Value(name, native(value), dtype)


def native(value: Any) -> Any:
    """Return a copy of an array: an exact ndarray in C order and native byte order.

    A float or complex dtype that is not on every machine (`longdouble`) becomes float64 or
    complex128.
    """
    dtype = native_dtype(value.dtype)
    with np.errstate(all="ignore"):
        return _array(value, dtype=dtype, order="C", copy=True, subok=False)


def native_dtype(dtype: Any) -> Any:
    """Return the dtype to which `native` converts an array of numbers."""
    dtype = dtype if dtype in _NATIVE else dtype.newbyteorder("=")
    if dtype in _NATIVE:
        return dtype
    return np.dtype("complex128" if dtype.kind == "c" else "float64")


@functools.cache
def dtypes() -> dict[str, tuple[str, Any]]:
    """Return all texts of `Value.dtype`: NumPy's name of the dtype, and that of the array."""
    native = [np.dtype(code) for code in "?bBhHiIlLqQefdgFDG"]
    every = [*native, *(dtype.newbyteorder() for dtype in native)]
    return {str(dtype): (dtype.name, native_dtype(dtype)) for dtype in every}


def _masked_array() -> tuple[type, ...]:
    loaded = sys.modules.get("numpy.ma")
    kind = getattr(loaded, "MaskedArray", None)
    return (kind,) if isinstance(kind, type) else ()


_KINDS = {"O": "objects", "U": "text_array", "S": "bytes_array", "M": "dates", "m": "durations"}


def _kind_of(dtype: Any) -> Remark:
    if dtype.kind in _KINDS:
        return Remark(_KINDS[dtype.kind])
    return Remark("dtype", str(dtype)[: protocol.NAME_LIMIT])


def _nested(name: str, value: Any) -> Value:
    try:
        array = _array(value)
    except (ValueError, TypeError, OverflowError):
        return Value(name, None, "", Remark("ragged", name))
    if array.dtype.kind == "O":
        found = _non_number_in(value)
        return Value(name, None, "", Remark(found.key, found.detail, inside=name))
    if array.dtype.kind not in "biufc":
        return Value(name, None, "", Remark("not_numbers", name))
    if array.ndim > protocol.AXES_LIMIT:
        return Value(name, None, "", Remark("deep", array.ndim, inside=name))
    return Value(name, native(array))


def _non_number_in(value: Any) -> Remark:
    """Return the reason why a nested list is not an array of numbers."""
    queue = [value]
    for _ in range(1000):
        if not queue:
            break
        item = queue.pop()
        if isinstance(item, (list, tuple)):
            queue.extend(item[:100])
        elif not isinstance(item, (bool, int, float, complex, _ndarray, _generic)):
            return _why_not(type_name(item), item)
    return Remark("not_a_number")


_NOT_ARRAYS = (
    (types.NoneType, "none"),
    (types.CoroutineType, "coroutine"),
    (types.GeneratorType, "generator"),
    (str, "text"),
    ((bytes, bytearray), "bytes"),
    (type, "class"),
    (dict, "dictionary"),
    ((set, frozenset), "set"),
)


def _why_not(name: str, value: Any) -> Remark:
    for kind, key in _NOT_ARRAYS:
        if isinstance(value, kind):
            return Remark(key)
    if callable(value):
        return Remark("function")
    return Remark("iterator" if isinstance(value, Iterator) else "object", name)
