"""Returned objects are read as plain arrays, or as a remark that becomes a phrase."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

from grader import explain
from grader.child import answers, protocol

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


@pytest.mark.parametrize(("result", "why_not"), UNREADABLE, ids=[w for _, w in UNREADABLE])
def test_a_value_that_is_not_array_like_has_a_reason(result: Any, why_not: str) -> None:
    value = answers.read((result, 1.0), False)[0].values[0]
    assert value.array is None
    assert phrase(value) == ("a dictionary" if type(result) is dict else why_not)
    if not isinstance(result, list):
        assert phrase(answers.read(result, True)[0].values[0]) == why_not


def test_the_reason_for_a_coroutine_is_an_async_function() -> None:
    pending = coroutine()
    value = answers.read(pending, True)[0].values[0]
    assert phrase(value) == "a coroutine: the function is async"
    pending.close()


def test_a_masked_array_without_masked_entries_gets_a_note() -> None:
    assert answers.read(np.ma.array([1.0]), True)[1] == [answers.Remark("unmasked")]


def test_a_tuple_longer_than_the_limit_is_cut_with_a_note() -> None:
    answer, notes = answers.read((1.0,) * 1000, False)
    assert len(answer.values) == protocol.VALUES_LIMIT
    assert notes == [answers.Remark("cut", 1000)]
