"""`compare` on unusual values.

Each value takes the path of a real answer: `runners.inprocess.execute` calls a function that
returns it, reads it as an `Answer`, and `compare` compares that with the promised values.
"""

from __future__ import annotations

import array as array_module
import decimal
import fractions
from collections import OrderedDict, UserDict, defaultdict, deque, namedtuple
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from small_problem import answer_with

from grader import compare
from grader.model import (
    Answer,
    Call,
    Checks,
    Mismatch,
    Outcome,
    Remark,
    ReturnedValue,
    Returns,
    Tolerance,
    Value,
)
from grader.runners import inprocess

nan, inf = float("nan"), float("inf")
TIGHT = Tolerance(1e-6, 1e-8)
EXACT = Tolerance(0.0, 0.0)
BIG = 2**53
"""2**53: the first integer whose successor float64 cannot represent"""

Pair = namedtuple("Pair", ["output", "weights"])


class Sub(np.ndarray):
    """A subclass of ndarray that claims to equal everything and to be zero."""

    def __eq__(self, other: object) -> Any:
        return np.True_

    def __ne__(self, other: object) -> Any:
        return np.False_

    def __sub__(self, other: object) -> Any:
        return np.zeros(self.shape)

    def __rsub__(self, other: object) -> Any:
        return np.zeros(self.shape)

    def __abs__(self) -> Any:
        return np.zeros(self.shape)

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        return np.True_

    def __hash__(self) -> int:  # type: ignore[override]
        return 0


class Mimic:
    """An object that would convert itself to an array, a list or a number."""

    shape = (2,)
    dtype = np.dtype("float64")

    def __array__(self, *_: Any, **__: Any) -> Any:
        return np.array([1.0, 2.0])

    def __eq__(self, other: object) -> Any:
        return True

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> float:
        return [1.0, 2.0][index]

    def __hash__(self) -> int:
        return 0


class Sly(float):
    """A float that claims to equal everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class MyList(list):  # type: ignore[type-arg]
    """A subclass of list."""


async def _coroutine() -> int:
    return 1


def _generator() -> Iterator[float]:
    yield from (1.0, 2.0)


def promise(container: Any, expected: tuple[Any, ...], dtype: str | None = None) -> Returns:
    """Return a `Returns` of values `v0`, `v1`, ... with as many axes as the expected values."""
    return Returns(
        container,
        tuple(
            ReturnedValue(f"v{i}", tuple(f"axis{a}" for a in range(np.ndim(e))), dtype)
            for i, e in enumerate(expected)
        ),
    )


def answer_of(returned: Any, returns: Returns) -> Answer:
    """Return the Answer of a function that returns this object."""
    call = Call("case", "requirement", ())
    execution = inprocess.execute(lambda: returned, returns, [call])["case"]
    assert execution.outcome is Outcome.RETURNED, execution.failure
    assert execution.answer is not None
    return execution.answer


@dataclass(frozen=True)
class Judged:
    """The results of comparing structure and values."""

    structure: compare.Structure
    values: Mismatch | None

    @property
    def kind(self) -> str | None:
        """The kind of the first mismatch, structure first."""
        first = self.structure.mismatch or self.values
        return first.kind if first else None

    @property
    def judged(self) -> tuple[bool, ...]:
        """Whether each promised value had the right structure."""
        return tuple(value is not None for value in self.structure.values)


def judge(
    returned: Any,
    expected: Any,
    container: Any = "single",
    tolerance: Tolerance = TIGHT,
    checks: Checks = "values",
    dtype: str | None = None,
) -> Judged:
    """Compare a returned object with a promised one; several promised values are a tuple."""
    right = expected if isinstance(expected, tuple) else (expected,)
    returns = promise(container, right, dtype)
    reference = (
        dict(zip([v.name for v in returns.values], right, strict=True))
        if container == "dictionary"
        else (right if container == "tuple" else right[0])
    )
    right_answer = answer_of(reference, returns)
    found = compare.structure(answer_of(returned, returns), returns, right_answer)
    return Judged(found, compare.values(found, returns, right_answer, tolerance, checks))


# --- the table: (name, returned, promised, kind of mismatch or None) -----------------------------

A = np.array([1.0, 2.0])
M = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
S = np.array([[1.0, 2.0], [3.0, 4.0]])
ZERO = np.array(0.0)
NONE = np.zeros((0, 3))


def read_only(array: Any) -> Any:
    array = array.copy()
    array.flags.writeable = False
    return array


def with_itself() -> Any:
    items: list[Any] = [1.0]
    items.append(items)
    return items


SINGLE: list[tuple[str, Any, Any, str | None]] = [
    # equal by value, stored in different ways
    ("the same array", A.copy(), A, None),
    ("the very same object", A, A, None),
    ("within rtol", A * (1 + 9e-7), A, None),
    ("beyond rtol", A * (1 + 2e-6), A, "values"),
    ("within atol of zero", np.array([9e-9]), np.array([0.0]), None),
    ("beyond atol of zero", np.array([2e-8]), np.array([0.0]), "values"),
    ("negative zero for zero", np.array([-0.0]), np.array([0.0]), None),
    ("zero for negative zero", np.array([0.0]), np.array([-0.0]), None),
    ("a denormal for zero", np.array([5e-324]), np.array([0.0]), None),
    ("the other sign", -A, A, "values"),
    ("one element of many", np.array([1.0, 2.5]), A, "values"),
    ("read-only", read_only(A), A, None),
    ("Fortran order", np.asfortranarray(M), M, None),
    ("a transposed view that is right", np.ascontiguousarray(M.T).T, M, None),
    ("negative strides", M[::-1, ::-1].copy()[::-1, ::-1], M, None),
    ("a broadcast view of the right shape", np.broadcast_to(A, (2, 2)), np.array([A, A]), None),
    ("big-endian floats", A.astype(">f8"), A, None),
    ("big-endian wrong floats", (A + 1).astype(">f8"), A, "values"),
    ("big-endian integers", np.array([1, 2], ">i4"), A, None),
    ("float32 that is exact", A.astype("f4"), A, None),
    ("float32 within the tolerance", np.array([0.1], "f4"), np.array([0.1]), None),
    ("float16 beyond the tolerance", np.array([0.1], "f2"), np.array([0.1]), "values"),
    ("longdouble", A.astype(np.longdouble), A, None),
    ("longdouble that is wrong", A.astype(np.longdouble) + 1, A, "values"),
    ("clongdouble without imaginary part", A.astype(np.clongdouble), A, None),
    ("int8", A.astype("i1"), A, None),
    ("uint64", A.astype("u8"), A, None),
    (
        "an unaligned field of a structured array",
        np.array([(0, 1.0), (0, 2.0)], np.dtype([("a", "i1"), ("b", "f8")]))["b"],
        A,
        None,
    ),
    # shapes, exactly
    ("a row for a vector", A[None], A, "shape"),
    ("a column for a vector", A[:, None], A, "shape"),
    ("a scalar for a vector of one", np.float64(1.0), np.array([1.0]), "shape"),
    ("a vector of one for a scalar", np.array([1.0]), np.array(1.0), "shape"),
    ("a scalar that would broadcast", 1.0, np.ones(3), "shape"),
    ("a row that would broadcast", np.ones((1, 3)), np.ones((2, 3)), "shape"),
    ("a matrix for a row it would broadcast to", np.ones((2, 3)), np.ones((1, 3)), "shape"),
    ("the transpose", M.T, M, "shape"),
    ("the transpose of a square", S.T, S, "values"),
    ("flattened", M.ravel(), M, "shape"),
    ("an extra axis of length one", M[..., None], M, "shape"),
    ("one row too few", M[:1], M, "shape"),
    ("an empty array for a matrix", np.zeros((0, 3)), M, "shape"),
    ("nine axes", np.ones((1,) * 9), np.ones((1,) * 8), "array_like"),
    ("eight axes", np.ones((1,) * 8), np.ones((1,) * 8), None),
    # 0-d and scalars
    ("a 0-d array", np.array(0.0), ZERO, None),
    ("a NumPy scalar", np.float64(0.0), ZERO, None),
    ("a NumPy float32 scalar", np.float32(0.0), ZERO, None),
    ("a Python float", 0.0, ZERO, None),
    ("a Python int", 0, ZERO, None),
    ("a Python bool", False, ZERO, None),
    ("a Python complex without imaginary part", 0j, ZERO, None),
    ("a float that claims to equal everything", Sly(1.0), ZERO, "values"),
    ("a wrong Python float", 1.0, ZERO, "values"),
    ("a list of one for a scalar", [0.0], ZERO, "shape"),
    # empty
    ("empty for empty", np.zeros((0, 3)), NONE, None),
    ("empty of another dtype", np.zeros((0, 3), bool), NONE, None),
    ("empty of another shape", np.zeros((3, 0)), NONE, "shape"),
    ("empty of fewer axes", np.zeros(0), NONE, "shape"),
    ("an empty list for a matrix without rows", [], NONE, "shape"),
    ("an empty list for an empty vector", [], np.zeros(0), None),
    ("an empty tuple for a vector", (), A, "shape"),
    # NaN and infinity
    ("NaN", np.array([1.0, nan]), A, "nonfinite"),
    ("all NaN", np.full(2, nan), A, "nonfinite"),
    ("infinity", np.array([1.0, inf]), A, "nonfinite"),
    ("NaN comes before values", np.array([9.0, nan]), A, "nonfinite"),
    ("NaN where NaN is expected", np.array([1.0, nan]), np.array([1.0, nan]), None),
    (
        "NaN where NaN is expected, wrong elsewhere",
        np.array([9.0, nan]),
        np.array([1.0, nan]),
        "values",
    ),
    ("a number where NaN is expected", A, np.array([1.0, nan]), "nonfinite"),
    ("infinity where it is expected", np.array([inf, -inf]), np.array([inf, -inf]), None),
    ("the other infinity", np.array([inf]), np.array([-inf]), "nonfinite"),
    ("NaN where infinity is expected", np.array([nan]), np.array([inf]), "nonfinite"),
    (
        "the largest float where infinity is expected",
        np.array([1.7e308]),
        np.array([inf]),
        "nonfinite",
    ),
    (
        "infinity where the largest float is expected",
        np.array([inf]),
        np.array([1.7e308]),
        "nonfinite",
    ),
    ("a difference that overflows", np.array([-1.7e308]), np.array([1.7e308]), "values"),
    ("a NaN of the other sign", np.array([-nan]), A[:1], "nonfinite"),
    ("a Python NaN", nan, ZERO, "nonfinite"),
    ("a list with NaN", [1.0, nan], A, "nonfinite"),
    ("NaN in float32", np.array([1.0, nan], "f4"), A, "nonfinite"),
    ("float16 that overflowed", np.array([1.0, inf], "f2"), np.array([1.0, 1e6]), "nonfinite"),
    # array-likes that convert without loss
    ("a list", [1.0, 2.0], A, None),
    ("a list that is wrong", [1.0, 3.0], A, "values"),
    ("a list of whole numbers", [1, 2], A, None),
    ("a list of booleans", [True, False], np.array([1.0, 0.0]), None),
    ("a list of lists", M.tolist(), M, None),
    ("a list of rows", list(M), M, None),
    ("a list of NumPy scalars", [np.float64(1), np.float32(2)], A, None),
    ("a list of 0-d arrays", [np.array(1.0), np.array(2.0)], A, None),
    ("a list of the wrong length", [1.0], A, "shape"),
    ("a list of another nesting", [[1.0, 2.0]], A, "shape"),
    ("a tuple of numbers", (1.0, 2.0), A, None),
    ("a tuple of tuples", ((1.0, 2.0), (3.0, 4.0)), S, None),
    ("a named tuple of numbers", Pair(1.0, 2.0), A, None),
    ("a range", range(1, 3), A, None),
    ("a subclass of list", MyList([1.0, 2.0]), A, None),
    # objects that are not array-like
    ("None", None, A, "array_like"),
    ("None for a scalar", None, ZERO, "array_like"),
    ("Ellipsis", ..., A, "array_like"),
    ("NotImplemented", NotImplemented, A, "array_like"),
    ("text", "1.0 2.0", A, "array_like"),
    ("text that is a number", "0.0", ZERO, "array_like"),
    ("bytes", b"\0" * 16, A, "array_like"),
    ("a set", {1.0, 2.0}, A, "array_like"),
    ("a generator", _generator(), A, "array_like"),
    ("an iterator", iter([1.0, 2.0]), A, "array_like"),
    ("a map", map(float, [1, 2]), A, "array_like"),
    ("a function", np.zeros, A, "array_like"),
    ("a class", np.ndarray, A, "array_like"),
    ("a module", np, A, "array_like"),
    ("an exception", ValueError("no"), A, "array_like"),
    ("an object with __array__", Mimic(), A, "array_like"),
    ("an array of the standard library", array_module.array("d", [1.0, 2.0]), A, "array_like"),
    ("a memoryview", A.data, A, "array_like"),
    ("a deque", deque([1.0, 2.0]), A, "array_like"),
    ("a Decimal", decimal.Decimal(0), ZERO, "array_like"),
    ("a Fraction", fractions.Fraction(0), ZERO, "array_like"),
    ("a dtype", np.dtype("f8"), A, "array_like"),
    ("an array of objects", np.array([1.0, 2.0], object), A, "array_like"),
    ("an array of None", np.array([None, None]), A, "array_like"),
    ("an array of text", np.array(["1.0", "2.0"]), A, "array_like"),
    ("an array of bytes", np.array([b"1.0", b"2.0"]), A, "array_like"),
    ("an array of dates", np.array(["2020", "2021"], "M8[Y]"), A, "array_like"),
    ("an array of time differences", np.array([1, 2], "m8[s]"), A, "array_like"),
    ("a structured array", np.zeros(2, "f8,f8"), A, "array_like"),
    ("a void scalar", np.zeros(1, "f8,f8")[0], ZERO, "array_like"),
    ("a NumPy text scalar", np.str_("0"), ZERO, "array_like"),
    ("a list with None", [1.0, None], A, "array_like"),
    ("a list of text", ["1.0", "2.0"], A, "array_like"),
    ("a list with one text", [1.0, "2.0"], A, "array_like"),
    ("a list of objects", [Mimic(), 1.0], A, "array_like"),
    ("a whole number beyond 64 bits", 10**30, ZERO, "array_like"),
    ("a list of whole numbers beyond 64 bits", [10**30, 1], A, "array_like"),
    # masked arrays, matrices, subclasses
    ("masked, nothing masked", np.ma.array(A), A, None),
    ("masked, a mask without True", np.ma.array(A, mask=[False, False]), A, None),
    ("masked, nothing masked, wrong", np.ma.array(A + 1), A, "values"),
    ("masked, one entry masked", np.ma.array(A, mask=[True, False]), A, "array_like"),
    ("masked, a wrong entry masked", np.ma.array([9.0, 2.0], mask=[True, False]), A, "array_like"),
    ("the masked constant", np.ma.masked, ZERO, "array_like"),
    ("a matrix", S.view(np.matrix), S, None),
    ("a matrix for a vector", A.view(np.matrix), A, "shape"),
    ("a record array of floats", A.view(np.recarray), A, None),
    ("a subclass that claims to be equal, and is", A.view(Sub), A, None),
    ("a subclass that claims to be equal, and is not", (A + 1).view(Sub), A, "values"),
    ("a subclass that claims to be equal, of NaN", np.full(2, nan).view(Sub), A, "nonfinite"),
    # booleans and whole numbers
    ("booleans for booleans", np.array([True, False]), np.array([True, False]), None),
    ("other booleans", np.array([True, True]), np.array([True, False]), "values"),
    ("0 and 1 for booleans", np.array([1, 0]), np.array([True, False]), None),
    ("0.0 and 1.0 for booleans", np.array([1.0, 0.0]), np.array([True, False]), None),
    ("2 for True", np.array([2]), np.array([True]), "values"),
    ("uint8 that would wrap around", np.array([1], "u1"), np.array([2], "u1"), "values"),
    ("uint64 beyond int64", np.array([2**64 - 1], "u8"), np.array([2**64 - 1], "u8"), None),
    ("-1 for the uint64 with its bits", np.array([-1]), np.array([2**64 - 1], "u8"), "values"),
    ("the smallest int64 for the largest", np.array([-(2**63)]), np.array([2**63 - 1]), "values"),
    ("floats for whole numbers", np.array([1.0, 2.0]), np.array([1, 2]), None),
    ("floats near whole numbers", np.array([1.0, 2.0000001]), np.array([1, 2]), None),
    (
        "floats beyond the tolerance of whole numbers",
        np.array([1.0, 2.1]),
        np.array([1, 2]),
        "values",
    ),
    ("whole numbers within rtol", np.array([2_000_001]), np.array([2_000_000]), None),
    ("the same as floats", np.array([2_000_001.0]), np.array([2_000_000]), None),
    ("whole numbers beyond rtol", np.array([2_000_003]), np.array([2_000_000]), "values"),
    # complex
    ("complex for complex", A + 1j, A + 1j, None),
    ("another imaginary part", A + 2j, A + 1j, "values"),
    ("real for complex", A, A + 0j, None),
    ("real for complex with imaginary part", A, A + 1j, "values"),
    ("complex with zero imaginary part", A + 0j, A, None),
    ("complex with a negative zero imaginary part", np.conj(A + 0j), A, None),
    ("complex with zero imaginary part, wrong", A + 1 + 0j, A, "values"),
    ("complex with an imaginary part", A + 1j, A, "complex"),
    ("complex with a tiny imaginary part", A + 1e-300j, A, "complex"),
    ("complex with a NaN imaginary part", np.array([complex(1, nan), 2]), A, "complex"),
    ("complex with a NaN real part", np.array([complex(nan, 0), 2]), A, "nonfinite"),
    ("complex NaN for complex", np.array([complex(nan, 1)]), np.array([1 + 1j]), "nonfinite"),
    (
        "complex infinity for the same",
        np.array([complex(inf, 1)]),
        np.array([complex(inf, 1)]),
        None,
    ),
    ("a list of complex", [1 + 0j, 2 + 0j], A, None),
    # several values where one is promised
    ("a tuple of one array", (A,), A, "kind"),
    ("a tuple of two arrays", (A, M), A, "kind"),
    ("a list of unequal arrays", [A, M], A, "kind"),
    ("a dictionary", {"v0": A}, A, "kind"),
    ("an empty dictionary", {}, A, "kind"),
    ("a dictionary whose keys are not text", {0: A}, A, "array_like"),
]

SEVERAL: list[tuple[str, Any, str | None, tuple[bool, bool]]] = [
    # (name, returned, kind, which of the two values (A and M) can still be judged)
    ("a tuple", (A, M), None, (True, True)),
    ("a list of two", [A, M], None, (True, True)),
    ("a named tuple", Pair(A, M), None, (True, True)),
    ("a tuple of lists", (A.tolist(), M.tolist()), None, (True, True)),
    ("the first is wrong", (A + 1, M), "values", (True, True)),
    ("the second is wrong", (A, M + 1), "values", (True, True)),
    ("the second is NaN", (A, M * nan), "nonfinite", (True, True)),
    ("exchanged", (M, A), "shape", (False, False)),
    ("the second has another shape", (A, M.T), "shape", (True, False)),
    ("the first is None", (None, M), "array_like", (False, True)),
    ("the second is text", (A, "M"), "array_like", (True, False)),
    ("one value in a tuple", (A,), "count", (True, False)),
    ("three values", (A, M, A), "count", (True, True)),
    ("twenty values", (A, M) * 10, "count", (True, True)),
    ("three values, the first of a wrong shape", (M, M, A), "count", (False, True)),
    ("no value", (), "count", (False, False)),
    ("an empty list", [], "count", (False, False)),
    ("a bare array with the first shape", A, "kind", (True, False)),
    ("a bare list with the first shape counts as two values", [1.0, 2.0], "shape", (False, False)),
    ("a bare array with the second shape", M, "kind", (False, False)),
    ("an array of both stacked", np.stack([A, A]), "kind", (False, False)),
    ("a bare array of objects", np.array([None, None]), "kind", (False, False)),
    ("a scalar", 1.0, "kind", (False, False)),
    ("None", None, "kind", (False, False)),
    ("text of two letters", "AM", "kind", (False, False)),
    ("a generator of both", (x for x in (A, M)), "kind", (False, False)),
    ("an async function", _coroutine, "kind", (False, False)),
    ("a set", frozenset({1, 2}), "kind", (False, False)),
    ("a dictionary with the right names", {"v0": A, "v1": M}, "kind", (False, False)),
    ("nested tuples", ((A, M),), "count", (False, False)),
]

BY_NAME: list[tuple[str, Any, str | None, tuple[bool, bool]]] = [
    ("a dictionary", {"v0": A, "v1": M}, None, (True, True)),
    ("another order of the keys", {"v1": M, "v0": A}, None, (True, True)),
    ("an OrderedDict", OrderedDict(v0=A, v1=M), None, (True, True)),
    ("a defaultdict", defaultdict(list, v0=A, v1=M), None, (True, True)),
    ("lists for arrays", {"v0": [1.0, 2.0], "v1": M.tolist()}, None, (True, True)),
    ("a wrong value", {"v0": A, "v1": M + 1}, "values", (True, True)),
    ("a wrong shape", {"v0": M, "v1": M}, "shape", (False, True)),
    ("None inside", {"v0": None, "v1": M}, "array_like", (False, True)),
    ("a missing key", {"v1": M}, "names", (False, True)),
    ("a key too many", {"v0": A, "v1": M, "v2": A}, "names", (True, True)),
    ("another name", {"V0": A, "v1": M}, "names", (False, True)),
    ("keys of another type", {0: A, 1: M}, "kind", (False, False)),
    ("bytes as keys", {b"v0": A, b"v1": M}, "kind", (False, False)),
    ("empty", {}, "names", (False, False)),
    ("a tuple in the right order", (A, M), "kind", (False, False)),
    ("pairs", [("v0", A), ("v1", M)], "kind", (False, False)),
    ("an array", A, "kind", (False, False)),
    ("a UserDict", UserDict(v0=A, v1=M), "kind", (False, False)),
    ("None", None, "kind", (False, False)),
]

DTYPES: list[tuple[str, Any, Any, str, str | None]] = [
    # (name, returned, expected, promised dtype, kind), judged by `checks: dtype`
    ("float64", A.copy(), A, "float64", None),
    ("float32", A.astype("f4"), A, "float64", "dtype"),
    ("float16", A.astype("f2"), A, "float64", "dtype"),
    (
        "longdouble",
        A.astype(np.longdouble),
        A,
        "float64",
        None if np.dtype(np.longdouble) == np.dtype("f8") else "dtype",
    ),
    ("whole numbers", A.astype("i8"), A, "float64", "dtype"),
    ("booleans", np.array([True]), np.array([1.0]), "float64", "dtype"),
    ("complex without imaginary part", A + 0j, A, "float64", "dtype"),
    ("big-endian float64 is float64", A.astype(">f8"), A, "float64", None),
    ("a list", [1.0, 2.0], A, "float64", "dtype"),
    ("a tuple", (1.0, 2.0), A, "float64", "dtype"),
    ("a named tuple", Pair(1.0, 2.0), A, "float64", "dtype"),
    ("a subclass of list", MyList([1.0, 2.0]), A, "float64", "dtype"),
    ("a list of float64 scalars", [np.float64(1.0), np.float64(2.0)], A, "float64", "dtype"),
    ("a range", range(1, 3), np.array([1, 2]), "int64", "dtype"),
    ("int32 for int64", np.array([1, 2], "i4"), np.array([1, 2]), "int64", "dtype"),
    ("uint64 for int64", np.array([1, 2], "u8"), np.array([1, 2]), "int64", "dtype"),
    ("booleans for booleans", np.array([True]), np.array([True]), "bool", None),
    ("0 and 1 for booleans", np.array([1]), np.array([True]), "bool", "dtype"),
    ("a NumPy scalar", np.float64(0.0), ZERO, "float64", None),
    ("a 0-d array", np.array(0.0), ZERO, "float64", None),
    ("a Python float", 0.0, ZERO, "float64", "dtype"),
    ("a Python int", 0, np.array(0), "int64", "dtype"),
    ("a matrix of float64", S.view(np.matrix), S, "float64", None),
    ("an unmasked masked array", np.ma.array(A), A, "float64", None),
    ("a subclass of ndarray", A.view(Sub), A, "float64", None),
    ("dtype comes before NaN", np.full(2, nan, "f4"), A, "float64", "dtype"),
    ("dtype comes before values", (A + 1).astype("f4"), A, "float64", "dtype"),
    ("shape comes before dtype", A.astype("f4")[None], A, "float64", "shape"),
    ("right dtype, wrong values", A + 1, A, "float64", "values"),
    ("right dtype, NaN", A * nan, A, "float64", "nonfinite"),
    ("float32 where it is promised", A.astype("f4"), A.astype("f4"), "float32", None),
    ("float64 where float32 is promised", A, A.astype("f4"), "float32", "dtype"),
]

PRECISE: list[tuple[str, Any, Any, str | None]] = [
    # at a tolerance of exactly zero
    ("equal floats", A.copy(), A, None),
    ("the next float", np.nextafter(A, 9), A, "values"),
    ("negative zero", -ZERO, ZERO, None),
    ("whole numbers beyond 2**53", np.array([BIG + 1]), np.array([BIG + 1]), None),
    ("neighbours beyond 2**53", np.array([BIG + 1]), np.array([BIG]), "values"),
    ("neighbours beyond 2**53 in a list", [BIG + 1], np.array([BIG]), "values"),
    ("neighbours as Python numbers", BIG + 1, np.array(BIG), "values"),
    ("neighbours of uint64", np.array([2**64 - 1], "u8"), np.array([2**64 - 2], "u8"), "values"),
    (
        "neighbours across int64 and uint64",
        np.array([2**63 - 1]),
        np.array([2**63], "u8"),
        "values",
    ),
    ("the same number as int64 and uint64", np.array([BIG + 1]), np.array([BIG + 1], "u8"), None),
    ("0.1 + 0.2", np.array([0.1 + 0.2]), np.array([0.3]), "values"),
    ("NaN", np.array([nan]), np.array([nan]), None),
]


def test_the_table_holds_at_least_120_pairs_with_different_names() -> None:
    tables: list[Any] = [SINGLE, SEVERAL, BY_NAME, DTYPES, PRECISE]
    assert sum(map(len, tables)) >= 120
    for table in tables:
        names = [row[0] for row in table]
        assert len(names) == len(set(names))


def test_every_kind_of_mismatch_occurs_in_the_table() -> None:
    kinds = {row[3] for row in SINGLE} | {row[2] for row in SEVERAL + BY_NAME}
    kinds |= {row[4] for row in DTYPES}
    assert kinds == {None, *compare.KINDS}


@pytest.mark.parametrize(
    ("returned", "expected", "kind"), [row[1:] for row in SINGLE], ids=[row[0] for row in SINGLE]
)
def test_a_returned_object_is_compared_with_one_promised_value(
    returned: Any, expected: Any, kind: str | None
) -> None:
    assert judge(returned, expected).kind == kind


@pytest.mark.parametrize(
    ("returned", "kind", "judged"), [row[1:] for row in SEVERAL], ids=[row[0] for row in SEVERAL]
)
def test_a_returned_object_is_compared_with_two_promised_values(
    returned: Any, kind: str | None, judged: tuple[bool, bool]
) -> None:
    found = judge(returned, (A, M), "tuple")
    assert (found.kind, found.judged) == (kind, judged)


@pytest.mark.parametrize(
    ("returned", "kind", "judged"), [row[1:] for row in BY_NAME], ids=[row[0] for row in BY_NAME]
)
def test_a_returned_object_is_compared_with_a_promised_dictionary(
    returned: Any, kind: str | None, judged: tuple[bool, bool]
) -> None:
    found = judge(returned, (A, M), "dictionary")
    assert (found.kind, found.judged) == (kind, judged)


@pytest.mark.parametrize(
    ("returned", "expected", "dtype", "kind"),
    [row[1:] for row in DTYPES],
    ids=[row[0] for row in DTYPES],
)
def test_a_promised_element_type_is_checked(
    returned: Any, expected: Any, dtype: str, kind: str | None
) -> None:
    assert judge(returned, expected, checks="dtype", dtype=dtype).kind == kind


@pytest.mark.parametrize(
    ("returned", "expected"), [row[1:3] for row in DTYPES if row[4] in (None, "dtype")]
)
def test_an_element_type_is_not_checked_without_a_dtype_requirement(
    returned: Any, expected: Any
) -> None:
    kind = judge(returned, expected, checks="values", dtype="float64").kind
    assert kind in (None, "values", "nonfinite")  # never 'dtype'


@pytest.mark.parametrize(
    ("returned", "expected", "kind"), [row[1:] for row in PRECISE], ids=[row[0] for row in PRECISE]
)
def test_a_tolerance_of_zero_compares_exactly(
    returned: Any, expected: Any, kind: str | None
) -> None:
    assert judge(returned, expected, tolerance=EXACT).kind == kind


# --- facts ---------------------------------------------------------------------------------------


def facts(*arguments: Any, **options: Any) -> dict[str, Any]:
    found = judge(*arguments, **options)
    mismatch = found.structure.mismatch or found.values
    assert mismatch is not None
    return {"kind": mismatch.kind, "value": mismatch.value, **mismatch.facts}


def test_a_values_mismatch_has_count_place_and_differences() -> None:
    got = facts(np.array([[1.0, 2.0, 4.0], [4.0, 5.5, 9.0]]), M)
    assert got == {
        "kind": "values",
        "value": "v0",
        "count": 3,
        "total": 6,
        "first": [0, 2],
        "actual": 4.0,
        "expected": 3.0,
        "difference": 1.0,
        "allowed": 1e-8 + 1e-6 * 3.0,
        "greatest_difference": 3.0,
        "greatest_at": [1, 2],
    }


def test_integer_differences_are_exact_beyond_2_to_the_53() -> None:
    got = facts(np.array([BIG + 1, BIG + 5]), np.array([BIG, BIG]), tolerance=EXACT)
    assert (got["actual"], got["expected"]) == (BIG + 1, BIG)
    assert (got["difference"], got["greatest_difference"]) == (1.0, 5.0)
    assert got["greatest_at"] == [1]


def test_unsigned_differences_do_not_wrap_around() -> None:
    got = facts(np.array([1, 0], "u1"), np.array([3, 200], "u1"))
    assert (got["difference"], got["greatest_difference"]) == (2.0, 200.0)


def test_a_shape_mismatch_has_both_shapes_and_the_values_name() -> None:
    assert facts((A, M.T), (A, M), "tuple") == {
        "kind": "shape",
        "value": "v1",
        "got": [3, 2],
        "expected": [2, 3],
        "shape_of": "",
    }


def test_a_shape_mismatch_names_the_promised_value_of_that_shape() -> None:
    assert facts((M, A), (A, M), "tuple")["shape_of"] == "v1"


def test_a_shape_mismatch_names_the_first_of_several_values_of_that_shape() -> None:
    assert facts((A, A, A), (M, A, A), "tuple")["shape_of"] == "v1"


@pytest.mark.parametrize(
    ("returned", "kind"),
    [
        (None, "array_like"),
        (A[:1], "shape"),
        (np.array([1.0, 2.0], "f4"), "dtype"),
        (A + 1j, "dtype"),
        (A * nan, "nonfinite"),
        (A + 1, "values"),
    ],
)
def test_a_mismatch_has_the_values_name_and_axes(returned: Any, kind: str) -> None:
    found = judge(returned, A, checks="dtype", dtype="float64")
    mismatch = found.structure.mismatch or found.values
    assert mismatch is not None
    assert (mismatch.kind, mismatch.value, mismatch.axes) == (kind, "v0", ("axis0",))


def test_a_count_mismatch_has_both_counts_and_the_promised_names() -> None:
    got = facts((A,), (A, M), "tuple")
    assert (got["got"], got["expected"], got["names"]) == (1, 2, ["v0", "v1"])


@pytest.mark.parametrize(
    ("returned", "container", "said"),
    [
        (A, "tuple", ("numpy.ndarray", 1, "single", None)),
        (None, "tuple", ("NoneType", 1, "single", Remark("none"))),
        ({"v0": A, "v1": M, "v2": A}, "tuple", ("dict", 3, "dictionary", None)),
        ((A, M), "dictionary", ("tuple", 2, "tuple", None)),
        ((None, M), "dictionary", ("tuple", 2, "tuple", None)),
    ],
)
def test_a_kind_mismatch_has_the_returned_and_the_promised_container(
    returned: Any, container: str, said: tuple[Any, ...]
) -> None:
    got = facts(returned, (A, M), container)
    assert got == {
        "kind": "kind",
        "value": "",
        **dict(zip(("got", "got_count", "container", "why_not"), said, strict=True)),
        "expected": container,
        "names": ["v0", "v1"],
    }


def test_integer_differences_across_zero_do_not_overflow() -> None:
    for one, other, difference in (([-1], [1], 2.0), ([-128], [127], 255.0), ([-5], [-2], 3.0)):
        got = facts(np.array(one, "i1"), np.array(other, "i1"))
        assert (got["difference"], got["greatest_difference"]) == (difference, difference)
    assert judge(np.array([-1]), np.array([1]), tolerance=Tolerance(0.0, 2.0)).kind is None


def test_a_names_mismatch_lists_missing_and_extra_keys() -> None:
    got = facts({"V0": A, "v1": M}, (A, M), "dictionary")
    assert (got["missing"], got["extra"]) == (["v0"], ["V0"])


def test_an_array_like_mismatch_has_the_objects_type() -> None:
    assert facts(None, A)["why_not"] == Remark("none")
    assert facts(None, A)["type_name"] == "NoneType"
    assert facts(np.array([None, 1]), A)["why_not"] == Remark("objects")


def test_a_dtype_mismatch_has_both_dtypes_and_an_empty_one_for_a_list() -> None:
    got = facts(A.astype("f4"), A, checks="dtype", dtype="float64")
    assert (got["value"], got["got"], got["expected"]) == ("v0", "float32", "float64")
    got = facts([1.0, 2.0], A, checks="dtype", dtype="float64")
    assert (got["got"], got["type_name"]) == ("", "list")


def test_a_nonfinite_mismatch_counts_nan_and_infinities() -> None:
    got = facts(np.array([1.0, nan, inf, 4.0]), np.array([9.0, 2.0, 3.0, 4.0]))
    assert (got["count"], got["total"], got["first"]) == (2, 4, [1])


def test_a_mismatch_of_a_0d_array_has_an_empty_index() -> None:
    got = facts(1.0, ZERO)
    assert (got["first"], got["greatest_at"], got["total"]) == ([], [], 1)


def test_a_converted_list_or_tuple_gets_a_note_and_an_array_does_not() -> None:
    returns = promise("single", (A,))
    call = Call("case", "requirement", ())
    for returned, noted in (([1.0, 2.0], True), ((1.0, 2.0), True), (A, False), (A[:1], False)):
        execution = inprocess.execute(lambda it=returned: it, returns, [call])["case"]
        assert bool(execution.notes) is noted


def test_a_returned_array_is_copied() -> None:
    returned = A.copy()
    returns = promise("single", (A,))
    answer = answer_of(returned, returns)
    returned[:] = 9
    found = compare.structure(answer, returns, answer_with(A))
    assert compare.values(found, returns, answer_with(A), TIGHT) is None


# --- excess over the tolerance -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actual", "expected", "tolerance", "excess"),
    [
        (A, A, EXACT, 0.0),
        (A + 1, A, EXACT, inf),
        (np.array([3.0]), np.array([2.0]), Tolerance(0.0, 0.5), 2.0),
        (np.array([3.0]), np.array([2.0]), Tolerance(0.25, 0.5), 1.0),
        (np.array([nan]), np.array([2.0]), TIGHT, inf),
        (np.array([nan]), np.array([nan]), TIGHT, 0.0),
        (np.array([inf]), np.array([inf]), TIGHT, 0.0),
        (np.array([inf]), np.array([1.0]), TIGHT, inf),
        (A[:1], A, TIGHT, inf),
        (NONE, NONE, TIGHT, 0.0),
        (np.array([True, False]), np.array([True, False]), TIGHT, 0.0),
        (np.array([True]), np.array([False]), Tolerance(0.0, 0.5), 2.0),
        (np.array([1], "u1"), np.array([3], "u1"), Tolerance(0.0, 1.0), 2.0),
        (np.array([BIG + 1]), np.array([BIG]), Tolerance(0.0, 0.5), 2.0),
        (np.array([1 + 1j]), np.array([1 + 0j]), Tolerance(0.0, 0.5), 2.0),
        (np.array([1 + 1j]), np.array([1.0]), Tolerance(0.0, 0.5), inf),
        (np.array([1 + 0j]), np.array([2.0]), Tolerance(0.0, 0.5), 2.0),
    ],
)
def test_excess_is_the_largest_difference_divided_by_the_allowed_one(
    actual: Any, expected: Any, tolerance: Tolerance, excess: float
) -> None:
    assert compare.excess(actual, expected, tolerance) == excess


# --- properties ----------------------------------------------------------------------------------

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)
FINITE = st.floats(-1e100, 1e100)
ANY_FLOATS = hnp.arrays(np.float64, SHAPES)
NUMBERS = hnp.arrays(
    st.sampled_from(["?", "i1", "u1", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]), SHAPES
)
TOLERANCES = st.builds(
    Tolerance, st.sampled_from([0.0, 1e-12, 1e-6, 0.1]), st.sampled_from([0.0, 1e-8, 1.0])
)


@given(NUMBERS, TOLERANCES)
def test_a_value_equals_itself(array: Any, tolerance: Tolerance) -> None:
    assert judge(array.copy(), array, tolerance=tolerance).kind is None
    assert compare.excess(array, array, tolerance) == 0


@given(NUMBERS, SHAPES)
def test_comparison_does_not_broadcast(array: Any, shape: tuple[int, ...]) -> None:
    expected = np.zeros(shape)
    kind = judge(array, expected).kind
    assert (kind == "shape") == (array.shape != shape)


@given(hnp.arrays(np.float64, SHAPES.filter(lambda s: 0 not in s), elements=FINITE), st.data())
def test_elements_beyond_the_tolerance_are_found_and_counted(expected: Any, data: Any) -> None:
    places = st.sampled_from(list(np.ndindex(expected.shape)))
    wrong = data.draw(st.sets(places, min_size=1))
    actual = expected.copy()
    for place in wrong:
        allowed = TIGHT.atol + TIGHT.rtol * abs(expected[place])
        actual[place] += 2 * allowed * data.draw(st.sampled_from([-1, 1]))
    got = facts(actual, expected)
    assert (got["kind"], got["count"], got["total"]) == ("values", len(wrong), expected.size)
    assert got["first"] == list(min(wrong))
    assert got["actual"] == actual[min(wrong)]
    assert got["expected"] == expected[min(wrong)]
    assert tuple(got["greatest_at"]) in wrong


@given(hnp.arrays(np.float64, SHAPES, elements=FINITE), st.floats(-0.999, 0.999))
def test_differences_within_the_tolerance_pass(expected: Any, share: float) -> None:
    allowed = 1e-8 + 1e-6 * np.abs(expected)
    assert judge(expected + share * allowed, expected).kind is None


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.floats(1e-3, 0.5))
def test_the_expected_side_scales_the_tolerance(actual: float, expected: float, r: float) -> None:
    passes = abs(actual - expected) <= r * abs(expected)
    kind = judge(actual, np.array(expected), tolerance=Tolerance(r, 0.0)).kind
    assert kind == (None if passes else "values")


@given(hnp.arrays(np.float64, SHAPES.filter(lambda s: 0 not in s), elements=FINITE), st.data())
def test_an_unexpected_nan_or_infinity_never_passes(expected: Any, data: Any) -> None:
    place = data.draw(st.sampled_from(list(np.ndindex(expected.shape))))
    actual = expected.copy()
    actual[place] = data.draw(st.sampled_from([nan, inf, -inf]))
    loose = Tolerance(1e300, 1e300)
    got = facts(actual, expected, tolerance=loose)
    assert (got["kind"], got["first"], got["count"]) == ("nonfinite", list(place), 1)
    assert facts(expected, actual, tolerance=loose)["kind"] == "nonfinite"


@given(ANY_FLOATS, ANY_FLOATS, TOLERANCES)
def test_excess_and_comparison_agree(actual: Any, expected: Any, tolerance: Tolerance) -> None:
    passes = judge(actual, expected, tolerance=tolerance).kind is None
    excess = compare.excess(actual, expected, tolerance)
    if abs(excess - 1) > 1e-9:
        assert passes == (excess < 1)


WHOLE = st.sampled_from(["?", "i1", "u1", "i4", "u4", "i8", "u8"])


@given(WHOLE, WHOLE, st.data())
def test_integers_are_compared_exactly(one: str, other: str, data: Any) -> None:
    shape = (3,)
    actual, expected = (data.draw(hnp.arrays(kind, shape)) for kind in (one, other))
    equal = actual.tolist() == expected.tolist()
    assert (judge(actual, expected, tolerance=EXACT).kind is None) == equal
    allowed = data.draw(st.integers(0, 300))
    close = all(abs(int(a) - int(e)) <= allowed for a, e in zip(actual, expected, strict=True))
    tolerance = Tolerance(0.0, float(allowed))
    assert (judge(actual, expected, tolerance=tolerance).kind is None) == close


@dataclass
class Layers:
    """An answer that is wrong in selected ways; they are checked in the order of `KINDS`."""

    count: bool
    array_like: bool
    shape: bool
    dtype: bool
    nonfinite: bool
    values: bool
    made: Any = field(default=None)

    def build(self) -> Any:
        array = np.ones((2, 3))
        if self.values:
            array[1, 1] = 5.0
        if self.nonfinite:
            array[1, 2] = nan
        if self.dtype:
            array = array.astype("f4")
        if self.shape:
            array = array.T
        value: Any = array.astype(object) if self.array_like else array
        return (value, value, 1.0) if self.count else (value, value)


@given(st.builds(Layers, *[st.booleans()] * 6))
def test_the_first_mismatch_in_the_order_of_kinds_is_reported(layers: Layers) -> None:
    order = ["count", "array_like", "shape", "dtype", "nonfinite", "values"]
    wrong = [name for name in order if getattr(layers, name)]
    if layers.count and not (layers.array_like or layers.shape):
        wrong = ["count"]
    kind = judge(
        layers.build(), (np.ones((2, 3)),) * 2, "tuple", checks="dtype", dtype="float64"
    ).kind
    assert kind == (wrong[0] if wrong else None)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.complex_numbers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2) | st.integers(), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=300)
@given(PLAIN, st.sampled_from(["single", "tuple", "dictionary"]))
def test_comparing_any_plain_object_never_raises(returned: Any, container: Any) -> None:
    expected = (A, M) if container != "single" else (A,)
    found = judge(returned, expected, container)
    assert found.kind is None or found.kind in compare.KINDS


def test_a_list_that_contains_itself_is_a_mismatch() -> None:
    assert judge(with_itself(), A).kind in ("array_like", "kind")


def test_a_difference_of_exactly_the_tolerance_passes() -> None:
    for container in (float, int):
        actual, expected = np.array([3], container), np.array([2], container)
        assert judge(actual, expected, tolerance=Tolerance(0.25, 0.5)).kind is None
        assert judge(actual, expected, tolerance=Tolerance(0.25, 0.49)).kind == "values"


def test_a_value_without_an_array_is_an_array_like_mismatch() -> None:
    returns = promise("single", (A,))
    answer = Answer("single", "Thing", (Value("Thing", why_not=Remark("object", "Thing")),))
    found = compare.structure(answer, returns, answer_with(A))
    assert found.values == (None,)
    assert found.mismatch is not None
    assert found.mismatch.kind == "array_like"


def test_comparing_a_different_number_of_values_raises_value_error() -> None:
    pair, one = promise("tuple", (A, M)), promise("single", (A,))
    answer = answer_of((A, M), pair)
    found = compare.structure(answer, pair, answer_with(A, M))
    with pytest.raises(ValueError, match="zip"):
        compare.structure(answer, pair, answer_with(A))
    with pytest.raises(ValueError, match="zip"):
        compare.structure(answer, pair, answer_with(A, M, M))
    with pytest.raises(ValueError, match="zip"):
        compare.values(found, pair, answer_with(A, M, M), TIGHT)
    with pytest.raises(ValueError, match="zip"):
        compare.structure(Answer("single", "two", answer.values), one, answer_with(A))
    by_name = Answer("dictionary", "dict", answer.values, ("v0",))
    with pytest.raises(ValueError, match="zip"):
        compare.structure(by_name, promise("dictionary", (A, M)), answer_with(A, M))


def test_an_element_type_that_numpy_does_not_know_is_a_mismatch() -> None:
    """The name is the learner's text: a subclass may say anything."""
    promised = Returns("single", (ReturnedValue("output", ("row",), "float64"),))
    array = np.zeros(2)
    claimed = Answer("single", "A", (Value("A", array, "no such dtype"),))
    right = Answer("single", "numpy.ndarray", (Value("numpy.ndarray", array, "float64"),))
    found = compare.structure(claimed, promised, right)
    mismatch = compare.values(found, promised, right, TIGHT, "dtype")
    assert mismatch is not None
    assert (mismatch.kind, mismatch.facts["got"]) == ("dtype", "no such dtype")


def test_an_array_of_another_type_is_a_mismatch_whatever_its_name() -> None:
    promised = Returns("single", (ReturnedValue("output", ("row",), "float64"),))
    claimed = Answer("single", "A", (Value("A", np.zeros(2, np.float32), "float64"),))
    right = Answer("single", "numpy.ndarray", (Value("numpy.ndarray", np.zeros(2), "float64"),))
    found = compare.structure(claimed, promised, right)
    mismatch = compare.values(found, promised, right, TIGHT, "dtype")
    assert mismatch is not None
    assert (mismatch.kind, mismatch.facts["got"]) == ("dtype", "float32")
