"""Is this answer right? None, or the first mismatch, as facts. Pure; knows the tolerances.

The order of the questions: kind (what was returned at all), count of values, array-like, shape,
dtype where it is promised, NaN and infinity, values. The *expected* side scales the tolerance:
`|actual - expected| <= atol + rtol * |expected|`, as in `numpy.testing.assert_allclose`. Nothing
broadcasts, and NaN equals only a NaN that was expected.

Facts by kind:

kind        got (type name), expected (count)
count       got, expected
names       missing, extra
array_like  why_not, type_name
shape       got, expected, shape_of (another promised value that has the shape, or empty)
dtype       got (empty for what has no element type of its own), expected, type_name
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

from grader.model import Answer, Checks, Mismatch, ReturnedValue, Returns, Tolerance, Value
from grader.patterns import Pattern, patterns

_FLOAT64 = np.dtype(np.float64)

KINDS = (
    "kind", "count", "names", "array_like", "shape", "dtype", "complex", "nonfinite", "values",
)  # fmt: skip

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Structure:
    """An answer's values laid beside what was promised.

    `values` has one entry for each promised value: the one that came back when its structure is
    right, else None. `mismatch` is the first structural difference.
    """

    values: tuple[Value | None, ...]
    mismatch: Mismatch | None


def array_of(expected: Value) -> Array:
    """Return the array of a value of the reference, which `grading.prepare` requires."""
    assert expected.array is not None
    return expected.array


def structure(answer: Answer, returns: Returns, expected: Answer) -> Structure:
    """Compare kind, count, array-likeness and shapes, and say which values can be judged.

    `expected` is the reference's answer with its values in the order of `returns`, here and in
    the other functions.
    """
    offered, mismatch = _laid_out(answer, returns)
    values: list[Value | None] = []
    pairs = zip(returns.values, expected.values, strict=True)
    shapes = {promised.name: array_of(right).shape for promised, right in pairs}
    for value, promised in zip(offered, returns.values, strict=True):
        wrong = _structural(value, promised, shapes) if value is not None else None
        mismatch = mismatch or wrong
        values.append(value if wrong is None else None)
    return Structure(tuple(values), mismatch)


def values(
    found: Structure,
    returns: Returns,
    expected: Answer,
    tolerance: Tolerance,
    checks: Checks = "values",
) -> Mismatch | None:
    """Compare the values whose structure is right; with `checks` dtype their element type too."""
    for value, promised, right in zip(found.values, returns.values, expected.values, strict=True):
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
    found: Structure,
    returns: Returns,
    expected: Answer,
    tolerance: Tolerance,
) -> Mismatch:
    """Return a mismatch of `values` with what the wrong numbers have in common with the right.

    Apart from `values`, since it costs more than the comparison and only a reader wants it.
    """
    if mismatch.kind != "values":
        return mismatch
    position = [value.name for value in returns.values].index(mismatch.value)
    value = found.values[position]
    assert value is not None
    assert value.array is not None
    ours, theirs = value.array.real, array_of(expected.values[position])
    actual, right = _inexact(ours), _inexact(theirs.real)
    seen: list[Pattern] = []
    if theirs.dtype.kind != "c" and np.isfinite([actual, right]).all():
        allowed = _allowed(theirs, tolerance)
        with np.errstate(all="ignore"):
            seen = patterns(actual, right, _difference(ours, theirs) > allowed, allowed)
    return Mismatch(
        mismatch.kind, mismatch.value, mismatch.axes, {**mismatch.facts, "patterns": seen}
    )


def excess(actual: Array, expected: Array, tolerance: Tolerance) -> float:
    """Return the largest `|actual - expected| / allowed`; infinity when it cannot be compared.

    At most 1 means equal within the tolerance. The audit measures margins with it.
    """
    if actual.shape != expected.shape or _is_complex_for_real(actual, expected):
        return float("inf")
    if actual.size == 0:
        return 0.0
    with np.errstate(all="ignore"):
        if actual.dtype == expected.dtype == _FLOAT64:
            allowed = tolerance.atol + tolerance.rtol * np.abs(expected)
            largest = float((np.abs(actual - expected) / allowed).max())
            if largest == largest:  # NaN may be 0 / 0, or infinities that are equal
                return largest
        distance = _difference(actual, expected) / _allowed(expected, tolerance)
        ratio = np.where(_same(actual, expected), 0.0, distance)
    return float("inf") if np.isnan(ratio).any() else float(ratio.max())


def _laid_out(answer: Answer, returns: Returns) -> tuple[Sequence[Value | None], Mismatch | None]:
    """Return one offered value for each promised one, and what is wrong with the container."""
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
    # A bare array where several were promised, or several where one was: the first may be judged.
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
    """Compare element types; what is no NumPy object, such as a list, has none of its own."""
    name = np.dtype(value.dtype).name if value.dtype else ""
    if name == promised.dtype:
        return None
    facts = {"got": name, "expected": promised.dtype, "type_name": value.type_name}
    return Mismatch("dtype", promised.name, promised.axes, facts)


def _elements(
    actual: Array, promised: ReturnedValue, expected: Array, tolerance: Tolerance
) -> Mismatch | None:
    with np.errstate(all="ignore"):
        if actual.dtype == expected.dtype == _FLOAT64:
            allowed = tolerance.atol + tolerance.rtol * np.abs(expected)
            close = np.abs(actual - expected) <= allowed
            if (close & (allowed < np.inf)).all():  # an infinity that is expected allows itself
                return None
        if _is_complex_for_real(actual, expected):
            bad = actual.imag != 0
            return _mismatch("complex", actual, expected, bad, promised, tolerance)
        if expected.dtype.kind != "c":
            actual = actual.real
        strange = ~np.isfinite(actual) | ~np.isfinite(expected)
        bad = strange & ~_same(actual, expected)
        if bad.any():
            return _mismatch("nonfinite", actual, expected, bad, promised, tolerance)
        close = _difference(actual, expected) <= _allowed(expected, tolerance)
        close |= actual == expected  # also where the absolute value of a complex number overflows
        return _mismatch("values", actual, expected, ~(close | strange), promised, tolerance)


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


def _same(actual: Array, expected: Array) -> NDArray[np.bool_]:
    """Equal, where NaN equals NaN and infinities equal by sign."""
    result: NDArray[np.bool_] = (actual == expected) | ((actual != actual) & (expected != expected))
    return result


def _is_complex_for_real(actual: Array, expected: Array) -> bool:
    """Return whether something would be lost if `actual` became real, as `expected` is."""
    return (
        actual.dtype.kind == "c" and expected.dtype.kind != "c" and bool(np.any(actual.imag != 0))
    )


def _allowed(expected: Array, tolerance: Tolerance) -> Array:
    allowed: Array = np.asarray(tolerance.atol + tolerance.rtol * np.abs(_inexact(expected)))
    return allowed


def _difference(actual: Array, expected: Array) -> Array:
    """Return `|actual - expected|` as float64; of whole numbers it is exact before it is rounded.

    As float64, whole numbers beyond 2**53 would equal their neighbours; unsigned ones would wrap
    around.
    """
    if actual.dtype.kind not in "biu" or expected.dtype.kind not in "biu":
        return np.asarray(np.abs(_inexact(actual) - _inexact(expected)))
    ours, theirs = _magnitude(actual), _magnitude(expected)
    apart = (np.maximum(ours, theirs) - np.minimum(ours, theirs)).astype(np.float64)
    across_zero = ours.astype(np.float64) + theirs.astype(np.float64)
    return np.where((actual < 0) == (expected < 0), apart, across_zero)


def _magnitude(whole: Array) -> Array:
    """Return the absolute values as uint64, which holds that of the least int64 too."""
    if whole.dtype.kind == "i":
        return np.asarray(np.abs(whole.astype(np.int64))).view(np.uint64)
    return whole.astype(np.uint64)


def _inexact(array: Array) -> Array:
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
