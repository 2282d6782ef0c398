"""Compare an answer with the expected one and return the first mismatch as facts. Pure.

The order of comparison: kind of the answer, count of values, array-like, shape, dtype if one is
promised, NaN and infinity, values. The *expected* side scales the tolerance:
`|actual - expected| <= atol + rtol * |expected|`, as in `numpy.testing.assert_allclose`. Arrays
are not broadcast, and NaN equals only an expected NaN.

Facts by kind:

kind        got (type name), expected (count)
count       got, expected
names       missing, extra
array_like  why_not, type_name
shape       got, expected, shape_of (name of another value that should have this shape, or empty)
dtype       got (empty for a value without an element type, such as a list), expected, type_name
complex     the facts of `values` for the first element with an imaginary part
nonfinite   count, total, first, actual, expected
values      count, total, first, actual, expected, difference, allowed, greatest_difference,
            greatest_at; `with_patterns` adds patterns (see `grader.patterns`)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.child.answers import dtypes
from grader.model import Answer, Checks, Mismatch, ReturnedValue, Returns, Tolerance, Value
from grader.patterns import Pattern, patterns

_FLOAT64 = np.dtype(np.float64)

KINDS = (
    "kind", "count", "names", "array_like", "shape", "dtype", "complex", "nonfinite", "values",
)  # fmt: skip

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """An answer's values in the order of `returns`.

    `values` has one entry for each promised value: the returned value if its structure is right,
    else None. `mismatch` is the first structural difference.
    """

    values: tuple[Value | None, ...]
    mismatch: Mismatch | None

    def lacking(self, returns: Returns, names: Sequence[str]) -> tuple[str, ...]:
        """Return those of `names`, or of all values if empty, that have a wrong structure."""
        pairs = zip(returns.values, self.values, strict=True)
        lacking = tuple(promised.name for promised, value in pairs if value is None)
        return tuple(name for name in lacking if name in names) if names else lacking


def array_of(expected: Value) -> Array:
    """Return the array of a reference's value; `grading.prepare` refuses values without one."""
    assert expected.array is not None
    return expected.array


def structure(answer: Answer, returns: Returns, expected: Answer) -> Structure:
    """Compare kind, count, array-likeness and shapes; keep the values that can be judged.

    In all functions of this module, `expected` is the reference's answer with its values in the
    order of `returns`.
    """
    returned, mismatch = _aligned(answer, returns)
    values: list[Value | None] = []
    pairs = zip(returns.values, expected.values, strict=True)
    shapes = {promised.name: array_of(right).shape for promised, right in pairs}
    for value, promised in zip(returned, returns.values, strict=True):
        wrong = _structural(value, promised, shapes) if value is not None else None
        mismatch = mismatch or wrong
        values.append(value if wrong is None else None)
    return Structure(tuple(values), mismatch)


def values(
    compared: Structure,
    returns: Returns,
    expected: Answer,
    tolerance: Tolerance,
    checks: Checks = "values",
) -> Mismatch | None:
    """Compare the values whose structure is right; with `checks` "dtype" also element types."""
    for value, promised, right in zip(
        compared.values, returns.values, expected.values, strict=True
    ):
        if value is None or value.array is None:
            continue
        if checks == "dtype" and promised.dtype:
            wrong = _dtype(value, promised)
            if wrong:
                return wrong
        wrong = _elements(value.array, promised, array_of(right), tolerance)
        if wrong:
            return wrong
    return None


def with_patterns(
    mismatch: Mismatch,
    compared: Structure,
    returns: Returns,
    expected: Answer,
    tolerance: Tolerance,
) -> Mismatch:
    """Return a mismatch of kind "values" with the patterns of its wrong numbers.

    `values` does not look for patterns, since that takes longer than the comparison and only
    reports use them.
    """
    if mismatch.kind != "values":
        return mismatch
    position = [value.name for value in returns.values].index(mismatch.value)
    value = compared.values[position]
    assert value is not None
    assert value.array is not None
    ours, theirs = value.array.real, array_of(expected.values[position])
    actual, right = _as_float(ours), _as_float(theirs.real)
    seen: list[Pattern] = []
    if theirs.dtype.kind != "c" and np.isfinite([actual, right]).all():
        allowed = _allowed(theirs, tolerance)
        with np.errstate(all="ignore"):
            seen = patterns(actual, right, _difference(ours, theirs) > allowed, allowed)
    return Mismatch(
        mismatch.kind, mismatch.value, mismatch.axes, {**mismatch.facts, "patterns": seen}
    )


def excess(actual: Array, expected: Array, tolerance: Tolerance) -> float:
    """Return the largest `|actual - expected| / allowed`, or infinity for arrays of other shapes.

    At most 1 means equal within the tolerance. It is also infinity if a NaN is unexpected or
    complex numbers stand for real ones. The audit measures margins with it.
    """
    if actual.shape != expected.shape or _is_complex_for_real(actual, expected):
        return float("inf")
    if actual.size == 0:
        return 0.0
    with np.errstate(all="ignore"):
        if actual.dtype == expected.dtype == _FLOAT64:
            allowed = tolerance.atol + tolerance.rtol * np.abs(expected)
            largest = float((np.abs(actual - expected) / allowed).max())
            if largest == largest:  # NaN comes from 0 / 0 or from equal infinities
                return largest
        distance = _difference(actual, expected) / _allowed(expected, tolerance)
        ratio = np.where(_equal(actual, expected), 0.0, distance)
    return float("inf") if np.isnan(ratio).any() else float(ratio.max())


def _aligned(answer: Answer, returns: Returns) -> tuple[Sequence[Value | None], Mismatch | None]:
    """Return one returned value or None for each promised one, and a mismatch of the container."""
    promised = len(returns.values)
    if returns.container == "dictionary":
        return _by_name(answer, returns)
    if returns.container == "single" and answer.container == "single":
        return answer.values, None
    if answer.container == "dictionary":
        return (None,) * promised, _wrong_kind(answer, returns)
    if returns.container == "tuple" and answer.container in ("tuple", "list"):
        mismatch = None
        if len(answer.values) != promised:
            facts = {
                "got": len(answer.values),
                "expected": promised,
                "names": [v.name for v in returns.values],
            }
            mismatch = Mismatch("count", facts=facts)
        padded = (*answer.values, *(None,) * promised)
        return padded[:promised], mismatch
    # One array instead of several or several instead of one: the first value can be judged.
    first = answer.values[:1] or (None,)
    return (*first, *(None,) * (promised - 1)), _wrong_kind(answer, returns)


def _by_name(answer: Answer, returns: Returns) -> tuple[Sequence[Value | None], Mismatch | None]:
    names = [value.name for value in returns.values]
    if answer.container != "dictionary":
        return (None,) * len(names), _wrong_kind(answer, returns)
    by_name = dict(zip(answer.names, answer.values, strict=True))
    missing = [name for name in names if name not in by_name]
    extra = [name for name in by_name if name not in names]
    mismatch = None
    if missing or extra:
        mismatch = Mismatch("names", facts={"missing": missing, "extra": extra})
    return [by_name.get(name) for name in names], mismatch


def _wrong_kind(answer: Answer, returns: Returns) -> Mismatch:
    facts = {
        "got": answer.type_name,
        "got_count": len(answer.values),
        "container": answer.container,
        "expected": returns.container,
        "names": [value.name for value in returns.values],
        "why_not": answer.values[0].why_not if answer.container == "single" else None,
    }
    return Mismatch("kind", facts=facts)


def _structural(
    value: Value, promised: ReturnedValue, shapes: Mapping[str, tuple[int, ...]]
) -> Mismatch | None:
    if value.array is None:
        facts = {"why_not": value.why_not, "type_name": value.type_name}
        return Mismatch("array_like", promised.name, promised.axes, facts)
    got, expected = value.array.shape, shapes[promised.name]
    if got == expected:
        return None
    shape_of = next((name for name, shape in shapes.items() if shape == got), "")
    sizes = {"got": list(got), "expected": list(expected), "shape_of": shape_of}
    return Mismatch("shape", promised.name, promised.axes, sizes)


def _dtype(value: Value, promised: ReturnedValue) -> Mismatch | None:
    """Compare element types; a value that is not a NumPy object, such as a list, has none.

    The learner's process says what the element type was (`longdouble` is sent as float64), but the
    array that it sent must have the promised type too.
    """
    received = array_of(value).dtype.name
    name, _ = dtypes().get(value.dtype, (value.dtype, None))
    if name == received == promised.dtype:
        return None
    got = received if name == promised.dtype else name
    facts = {"got": got, "expected": promised.dtype, "type_name": value.type_name}
    return Mismatch("dtype", promised.name, promised.axes, facts)


def _elements(
    actual: Array, promised: ReturnedValue, expected: Array, tolerance: Tolerance
) -> Mismatch | None:
    with np.errstate(all="ignore"):
        if actual.dtype == expected.dtype == _FLOAT64:
            allowed = tolerance.atol + tolerance.rtol * np.abs(expected)
            close = np.abs(actual - expected) <= allowed
            if (close & (allowed < np.inf)).all():  # an expected infinity would allow any number
                return None
        if _is_complex_for_real(actual, expected):
            bad = actual.imag != 0
            return _mismatch("complex", actual, expected, bad, promised, tolerance)
        if expected.dtype.kind != "c":
            actual = actual.real
        nonfinite = ~np.isfinite(actual) | ~np.isfinite(expected)
        bad = nonfinite & ~_equal(actual, expected)
        if bad.any():
            return _mismatch("nonfinite", actual, expected, bad, promised, tolerance)
        close = _difference(actual, expected) <= _allowed(expected, tolerance)
        close |= actual == expected  # the absolute value of a complex number may overflow
        return _mismatch("values", actual, expected, ~(close | nonfinite), promised, tolerance)


def _mismatch(
    kind: str,
    actual: Array,
    expected: Array,
    bad: NDArray[np.bool_],
    promised: ReturnedValue,
    tolerance: Tolerance,
) -> Mismatch | None:
    count = int(np.count_nonzero(bad))
    if count == 0:
        return None
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    facts: dict[str, Any] = {
        "count": count,
        "total": int(bad.size),
        "first": list(first),
        "actual": actual[first].item(),
        "expected": expected[first].item(),
    }
    if kind == "values":
        difference = _difference(actual, expected)
        allowed = _allowed(expected, tolerance)
        worst = np.unravel_index(int(np.argmax(np.where(bad, difference, -1))), bad.shape)
        facts |= {
            "difference": float(difference[first]),
            "allowed": float(allowed[first]),
            "greatest_difference": float(difference[worst]),
            "greatest_at": [int(i) for i in worst],
        }
    return Mismatch(kind, promised.name, promised.axes, facts)


def _equal(actual: Array, expected: Array) -> NDArray[np.bool_]:
    """Return the elements that are equal; NaN equals NaN, and infinities are equal by sign."""
    result: NDArray[np.bool_] = (actual == expected) | ((actual != actual) & (expected != expected))
    return result


def _is_complex_for_real(actual: Array, expected: Array) -> bool:
    """Return whether `actual` has imaginary parts that are not zero and `expected` is real."""
    return (
        actual.dtype.kind == "c" and expected.dtype.kind != "c" and bool(np.any(actual.imag != 0))
    )


def _allowed(expected: Array, tolerance: Tolerance) -> Array:
    allowed: Array = np.asarray(tolerance.atol + tolerance.rtol * np.abs(_as_float(expected)))
    return allowed


def _difference(actual: Array, expected: Array) -> Array:
    """Return `|actual - expected|` as float64; for whole numbers it is computed exactly first.

    In float64, whole numbers beyond 2**53 would equal their neighbours; differences of unsigned
    integers would wrap around.
    """
    if actual.dtype.kind not in "biu" or expected.dtype.kind not in "biu":
        return np.asarray(np.abs(_as_float(actual) - _as_float(expected)))
    ours, theirs = _magnitude(actual), _magnitude(expected)
    apart = (np.maximum(ours, theirs) - np.minimum(ours, theirs)).astype(np.float64)
    across_zero = ours.astype(np.float64) + theirs.astype(np.float64)
    return np.where((actual < 0) == (expected < 0), apart, across_zero)


def _magnitude(whole: Array) -> Array:
    """Return the absolute values as uint64, which also holds 2**63, that of the least int64."""
    if whole.dtype.kind == "i":
        return np.asarray(np.abs(whole.astype(np.int64))).view(np.uint64)
    return whole.astype(np.uint64)


def _as_float(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
