"""Returned objects are read as plain arrays, or as a remark that becomes a phrase."""

from __future__ import annotations

import sys
import types
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

from grader import explain
from grader.child import answers, protocol
from grader.child.answers import Remark

Pair = namedtuple("Pair", "output weights")


class Lazy:
    """An object that would convert itself to an array."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        return np.zeros(2)


class Sub(np.ndarray):
    """A subclass of ndarray."""


async def coroutine() -> None: ...


def generator() -> Any:
    yield 1


CONTAINERS = [
    (np.ones(2), True, "single", 1),
    (np.ones(2), False, "single", 1),
    ((np.ones(2), np.ones(3)), True, "tuple", 2),
    ((np.ones(2), np.ones(3)), False, "tuple", 2),
    (Pair(1.0, 2.0), False, "tuple", 2),
    ((1.0, 2.0), True, "single", 1),
    ((1.0, 2.0), False, "tuple", 2),
    (((1.0, 2.0), (3.0, 4.0)), True, "single", 1),
    ((1.0, None), True, "tuple", 2),
    ([1.0, 2.0], True, "single", 1),
    ([1.0, 2.0], False, "list", 2),
    ([np.ones(2), np.ones(3)], True, "list", 2),
    ([np.ones(2), np.ones(2)], False, "list", 2),
    ([np.ones(2), np.ones(2)], True, "single", 1),
    ([[1.0], [2.0, 3.0]], True, "single", 1),
    ((np.ones(2), np.ones(2)), True, "tuple", 2),
    ((np.array(1.0), np.array(2.0)), True, "single", 1),
    ({"a": 1.0, "b": 2.0}, True, "dictionary", 2),
    (OrderedDict(a=1.0), False, "dictionary", 1),
    ({1: 1.0}, False, "single", 1),
    (None, False, "single", 1),
    ((), False, "tuple", 0),
]


@pytest.mark.parametrize(("result", "single", "container", "count"), CONTAINERS)
def test_read_determines_the_container_and_the_number_of_values(
    result: Any, single: bool, container: str, count: int
) -> None:
    returned, _ = answers.read(result, single)
    assert (returned.container, len(returned.values)) == (container, count)


def test_the_names_of_a_dictionary_keep_their_order() -> None:
    assert answers.read({"b": 1.0, "a": 2.0}, False)[0].names == ("b", "a")


READABLE = [
    (np.float16(0.5), "float64", "numpy.float16", "float16"),
    (np.array([1, 2], ">i4"), "int32", "numpy.ndarray", ">i4"),
    (np.longdouble(2), "float64", "numpy.longdouble", str(np.dtype(np.longdouble))),
    (np.ones((1, 1)).view(np.matrix), "float64", "numpy.matrix", "float64"),
    (np.ones(2).view(Sub), "float64", "Sub", "float64"),
    (np.ones((4, 4))[::-2, ::2], "float64", "numpy.ndarray", "float64"),
    (np.asfortranarray(np.ones((2, 3))), "float64", "numpy.ndarray", "float64"),
    (np.ma.array([1.0, 2.0]), "float64", "numpy.MaskedArray", "float64"),
    (True, "bool", "bool", ""),
    (3, "int64", "int", ""),
    (2.5, "float64", "float", ""),
    (1j, "complex128", "complex", ""),
    ([[1, 2], [3, 4]], "int64", "list", ""),
    ([np.ones(2), [1, 2]], "float64", "list", ""),
    (range(3), "int64", "range", ""),
]


@pytest.mark.parametrize(("result", "dtype", "type_name", "original"), READABLE)
def test_numbers_become_a_native_array_and_keep_type_and_dtype_names(
    result: Any, dtype: str, type_name: str, original: str
) -> None:
    (value,) = answers.read(result, True)[0].values
    assert type(value.array) is np.ndarray
    assert (str(value.array.dtype), value.type_name, value.dtype) == (dtype, type_name, original)
    assert value.array.flags.c_contiguous
    assert not np.shares_memory(value.array, np.asarray(result))
    np.testing.assert_array_equal(value.array, np.asarray(result).astype(dtype))


UNREADABLE = [
    (None, "None: is a return missing?"),
    (Lazy(), "an object of type Lazy, not an array"),
    (generator(), "a generator: it must return, not yield"),
    ("text", "text"),
    (b"bytes", "bytes"),
    ({1, 2}, "a set: it has no order"),
    (len, "a function: are the parentheses of a call missing?"),
    (int, "a class"),
    (zip([1], [2], strict=True), "a zip: it must be turned into an array first"),
    (np.array([None]), "an array of Python objects (dtype=object)"),
    (np.array(["a"]), "an array of text"),
    (np.zeros(1, "i4,f8"), "an array of dtype [('f0', '<i4'), ('f1', '<f8')]"),
    (np.zeros((1,) * 9), "an array with 9 axes"),
    (np.empty((0, 2**40)), f"an array with an axis of length {2**40}"),
    (np.ma.array([1.0, 2.0], mask=[True, False]), "a masked array with masked entries"),
    ([[[[[[[[[1.0]]]]]]]]], "a list nested 9 deep"),
    ([[1, 2], [3]], "a list whose rows have different lengths"),
    ([1.0, None], "a list that contains None"),
    (["a", "b"], "a list that does not contain numbers"),
    ([2**70], "a list that contains something that is not a number"),
    (2**70, "a whole number too large for 64 bits"),
    ({1: 2.0}, "a dictionary with keys that are not text"),
]


def phrase(value: answers.Value) -> str:
    """Return why a value is not an array, and check that the grader knows the key."""
    assert value.why_not is not None
    assert value.why_not.key in answers.WHY_NOT
    return explain.why_not(value.why_not)


def name_of(result: Any) -> str:
    name = type(result).__qualname__
    return f"numpy.{name}" if isinstance(result, np.ndarray) else name


@pytest.mark.parametrize(("result", "why_not"), UNREADABLE, ids=[w for _, w in UNREADABLE])
def test_a_value_that_is_not_array_like_has_a_reason(result: Any, why_not: str) -> None:
    value = answers.read((result, 1.0), False)[0].values[0]
    assert value.array is None
    assert (value.type_name, value.dtype) == (name_of(result), "")
    assert phrase(value) == ("a dictionary" if type(result) is dict else why_not)
    if not isinstance(result, list):
        assert phrase(answers.read(result, True)[0].values[0]) == why_not


def test_the_reason_for_a_coroutine_is_an_async_function() -> None:
    pending = coroutine()
    value = answers.read(pending, True)[0].values[0]
    assert phrase(value) == "a coroutine: the function is async"
    pending.close()


def test_a_masked_array_without_masked_entries_gets_a_note() -> None:
    assert answers.read(np.ma.array([1.0]), True)[1] == [Remark("unmasked")]


def test_a_tuple_longer_than_the_limit_is_cut_with_a_note() -> None:
    answer, notes = answers.read((1.0,) * 1000, False)
    assert len(answer.values) == protocol.VALUES_LIMIT
    assert notes == [Remark("cut", 1000)]


@pytest.mark.parametrize(
    ("result", "single", "name"),
    [
        (Pair(1.0, 2.0), False, "Pair"),
        ([1.0], False, "list"),
        ([1.0], True, "list"),
        (OrderedDict(a=1.0), True, "OrderedDict"),
        ({1: 1.0}, True, "dict"),
        (np.float32(1), True, "numpy.float32"),
    ],
)
def test_an_answer_has_the_name_of_its_type(result: Any, single: bool, name: str) -> None:
    assert answers.read(result, single)[0].type_name == name


LONG = "N" * (protocol.NAME_LIMIT + 1)


def test_names_are_cut() -> None:
    thing = type(LONG, (), {})()
    (value,) = answers.read(thing, True)[0].values
    assert (value.type_name, value.why_not) == (LONG[:-1], Remark("object", LONG[:-1]))
    assert answers.read({LONG: 1.0}, True)[0].names == (LONG[:-1],)
    dtype = np.dtype([(LONG, "f8")])
    (value,) = answers.read(np.zeros(1, dtype), True)[0].values
    assert value.why_not == Remark("dtype", str(dtype)[: protocol.NAME_LIMIT])


def items(*numbers: Any) -> list[Any]:
    """Return 100 items that are numbers except for the last ones."""
    return [1.0] * (100 - len(numbers)) + list(numbers)


WHY_NOT = [
    ([[1, 2], [3]], Remark("ragged", "list")),
    ([1.0, None], Remark("none", "", "list")),
    ([1.0, object()], Remark("object", "object", "list")),
    ([1.0, [len, None]], Remark("ragged", "list")),
    ([[1.0, len]], Remark("function", "", "list")),
    (["a"], Remark("not_numbers", "list")),
    ([[[[[[[[[1.0]]]]]]]]], Remark("deep", 9, "list")),
    ([2**70, 1.0], Remark("not_a_number", "", "list")),
    ([np.float64(1), np.ones(()), True, 1j, None], Remark("none", "", "list")),
    (items(None), Remark("none", "", "list")),
    ([*items(), None], Remark("not_a_number", "", "list")),
    (np.empty((0, 2**31)), Remark("long_axis", str(2**31))),
    (np.zeros((1,) * 9), Remark("axes", 9)),
    (np.array(["2001-01-01"], "M8[D]"), Remark("dates")),
    (np.array([1], "m8[s]"), Remark("durations")),
    (np.array([b"a"]), Remark("bytes_array")),
    (bytearray(b"a"), Remark("bytes")),
    (frozenset(), Remark("set")),
    ({1: 1.0}, Remark("keys")),
    (iter([]), Remark("iterator", "list_iterator")),
]


@pytest.mark.parametrize(("result", "why_not"), WHY_NOT)
def test_the_reason_is_a_remark_with_its_detail(result: Any, why_not: Remark) -> None:
    (value,) = answers.read(result, True)[0].values
    assert (value.array, value.why_not) == (None, why_not)
    assert (value.type_name, value.dtype) == (name_of(result), "")


def test_a_tuple_in_a_tuple_is_named_as_one() -> None:
    (value,) = answers.read((([1, 2], [3]),), False)[0].values
    assert (value.type_name, value.why_not) == ("tuple", Remark("ragged", "tuple"))


@pytest.mark.parametrize(("position", "key"), [(11, "none"), (10, "not_a_number")])
def test_a_thousand_items_are_searched_for_the_reason(position: int, key: str) -> None:
    """The search begins at the end; the lists themselves count too."""
    rows: list[list[Any]] = [items() for _ in range(10)]
    rows[0][position] = None
    assert answers.read(rows, True)[0].values[0].why_not == Remark(key, "", "list")


@pytest.mark.parametrize(
    "result", [np.zeros((1,) * 8), np.empty((0, 2**31 - 1)), [[[[[[[[1.0]]]]]]]]]
)
def test_an_answer_at_the_limits_is_read(result: Any) -> None:
    (value,) = answers.read(result, True)[0].values
    assert value.array is not None
    assert value.array.shape == np.shape(result)


class Long(tuple[float, ...]):
    """A tuple that claims a length."""

    def __len__(self) -> int:
        return 2**40


CUT = [
    ((1.0,) * protocol.VALUES_LIMIT, []),
    ((1.0,) * (protocol.VALUES_LIMIT + 1), [Remark("cut", protocol.VALUES_LIMIT + 1)]),
    ({f"{i}": 1.0 for i in range(70)}, [Remark("cut", 70)]),
    (Long([1.0]), [Remark("cut", 2**31 - 1)]),
    (([1.0], (2.0,)), [Remark("read_as_array", "list"), Remark("read_as_array", "tuple")]),
    ({"a": [1.0]}, [Remark("read_as_array", "list")]),
    (np.ones(2), []),
]


@pytest.mark.parametrize(("result", "notes"), CUT)
def test_notes_tell_what_was_cut_or_converted(result: Any, notes: list[Remark]) -> None:
    answer, found = answers.read(result, False)
    assert found == notes
    assert len(answer.values) <= protocol.VALUES_LIMIT


class Masked(np.ma.MaskedArray[Any, Any]):
    """A subclass of masked arrays."""


def test_an_array_of_a_subclass_of_masked_arrays_may_have_masked_entries() -> None:
    (value,) = answers.read(Masked([1.0, 2.0], mask=[True, False]), True)[0].values
    assert (value.array, value.why_not) == (None, Remark("masked"))


@pytest.mark.parametrize("kind", [None, "MaskedArray"])
def test_an_array_is_read_whatever_is_loaded_as_numpy_ma(
    monkeypatch: pytest.MonkeyPatch, kind: str | None
) -> None:
    module = types.ModuleType("numpy.ma")
    if kind:
        setattr(module, kind, "not a class")
    monkeypatch.setitem(sys.modules, "numpy.ma", module)
    assert answers.read(np.ones(2), True)[0].values[0].array is not None
    monkeypatch.delitem(sys.modules, "numpy.ma")
    assert answers.read(np.ones(2), True)[0].values[0].array is not None
    masked = np.ma.array([1.0, 2.0], mask=[True, False])
    assert answers.read(masked, True)[0].values[0].why_not == Remark("masked")


def test_a_number_too_large_for_float64_becomes_infinite_without_a_warning() -> None:
    (value,) = answers.read(np.array([np.finfo(np.longdouble).max]), True)[0].values
    assert value.array is not None
    assert np.isinf(value.array).all() or np.dtype(np.longdouble).itemsize == 8


NUMBERS = {
    "bool": "bool",
    **{f"{kind}int{bits}": f"{kind}int{bits}" for kind in ("", "u") for bits in (8, 16, 32, 64)},
    "float16": "float64",
    **{f"float{bits}": f"float{bits}" for bits in (32, 64)},
    **{f"complex{bits}": f"complex{bits}" for bits in (64, 128)},
    str(np.dtype(np.longdouble)): "float64",
    str(np.dtype(np.clongdouble)): "complex128",
}


def test_the_dtypes_of_answers_have_a_name_and_a_native_dtype() -> None:
    """Each of more than one byte is there in both byte orders."""
    names = {name: (name, np.dtype(native)) for name, native in NUMBERS.items()}
    swapped = {
        str(np.dtype(name).newbyteorder()): (name, np.dtype(native))
        for name, native in NUMBERS.items()
    }
    assert answers.dtypes() == swapped | names


@pytest.mark.parametrize("code", ["f2", "e", "g"])
def test_values_in_the_other_byte_order_are_read(code: str) -> None:
    given = np.array([1.0, 2.0], np.dtype(code).newbyteorder())
    (value,) = answers.read(given, True)[0].values
    assert value.array is not None
    assert value.array.dtype.isnative
    assert value.array.tolist() == [1.0, 2.0]
