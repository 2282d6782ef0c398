"""Sentences about a mismatch: the kind of difference, its place, and the numbers there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from grader.explain.remarks import why_not, why_not_ended
from grader.model import Mismatch


def headline(mismatch: Mismatch) -> str:
    """Return one sentence: the kind of difference and the number of wrong elements."""
    facts = mismatch.facts
    match mismatch.kind:
        case "kind":
            return f"Expected {_promise(facts)}, got {_got(facts)}"
        case "count":
            names = ", ".join(facts["names"])
            return f"Expected {facts['expected']} values ({names}), got {_counted(facts['got'])}."
        case "names":
            missing = _listed("has no", facts["missing"])
            extra = _listed("has the unknown", facts["extra"])
            return f"The dictionary {' and '.join(filter(None, [missing, extra]))}."
        case "array_like":
            return f"{mismatch.value} is not an array of numbers: {why_not_ended(facts['why_not'])}"
        case "shape":
            return (
                f"{mismatch.value} has the wrong shape: expected"
                f" {shape_words(facts['expected'], mismatch.axes)},"
                f" got {shape_words(facts['got'])}{_shape_guess(mismatch)}"
            )
        case "dtype":
            got = facts["got"] or "no element type of its own"
            return (
                f"{mismatch.value} is a {facts['type_name']} of {got}, expected a numpy.ndarray of"
                f" {facts['expected']}."
                if facts["got"]
                else f"{mismatch.value} is a {facts['type_name']}, expected a numpy.ndarray of"
                f" {facts['expected']}."
            )
        case "complex":
            return f"{mismatch.value} has complex numbers in {_of_how_many(facts)}."
        case "nonfinite":
            what = "NaN" if facts["actual"] != facts["actual"] else "infinity"
            if _is_finite(facts["actual"]):
                return f"{mismatch.value} differs in {_of_how_many(facts)}."
            return f"{mismatch.value} is {what} in {_of_how_many(facts)}."
        case _:
            return f"{mismatch.value} differs in {_of_how_many(facts)}."


def details(mismatch: Mismatch) -> list[str]:
    """Return lines with the first wrong place, by axis names, and the numbers there."""
    facts = mismatch.facts
    if "first" not in facts:
        return []
    got, expected = two_numbers(facts["actual"], facts["expected"])
    lines = [
        f"first at    {place(mismatch.value, mismatch.axes, facts['first'])}",
        f"got         {got}",
        f"expected    {expected}",
    ]
    if "difference" in facts:
        lines.append(f"difference  {number(facts['difference'])}")
        lines.append(f"allowed     {number(facts['allowed'])}")
        if facts["greatest_at"] != facts["first"]:
            where = place(mismatch.value, mismatch.axes, facts["greatest_at"])
            lines.append(f"greatest    {number(facts['greatest_difference'])} at {where}")
        lines += [pattern_sentence(p, mismatch.axes) for p in facts.get("patterns", ())[:1]]
    return lines


def pattern_sentence(pattern: Mapping[str, Any], axes: Sequence[str]) -> str:
    """Return one sentence: how the wrong numbers are related to the expected ones."""

    def axis(position: int) -> str:
        return axes[position] if position < len(axes) else f"axis {position}"

    match pattern["pattern"]:
        case "sums":
            instead = pattern["instead"]
            but = f", but over '{axis(instead)}' they do" if instead is not None else ""
            return f"The values do not add up to 1 over '{axis(pattern['axis'])}'{but}."
        case "factor":
            return f"Every value is {factor_words(pattern['factor'])} times the expected one."
        case "transposed":
            first, second = axis(pattern["first"]), axis(pattern["second"])
            return f"The values are right with '{first}' and '{second}' exchanged."
        case "permuted":
            name, order = axis(pattern["axis"]), ", ".join(map(str, pattern["order"]))
            return f"The values are right, but in another order along '{name}': {order}."
        case "zeros":
            return "All differences are where exactly 0 is expected."
        case "triangle":
            return f"All differences are {pattern['side']} the diagonal."
        case "only":
            return f"All differences are at {axis(pattern['axis'])} {pattern['index']}."
        case _:
            index = pattern["index"]
            where = f"{axis(pattern['axis'])} {index}"
            return f"The differences begin at {where}; everything before is right."


def factor_words(factor: float) -> str:
    """Return a factor as n, 1/n, sqrt(n) or 1/sqrt(n) for n up to 64, else as a number."""
    sign, size = ("-" if factor < 0 else ""), abs(factor)
    for n in range(1, 65):
        for value, words in (
            (n, f"{n}"),
            (1 / n, f"1/{n}"),
            (math.sqrt(n), f"sqrt({n})"),
            (1 / math.sqrt(n), f"1/sqrt({n})"),
        ):
            if abs(size - value) <= 1e-6 * value:
                return sign + words
    return number(factor)


def place(value: str, axes: Sequence[str], index: Sequence[int]) -> str:
    """Return an element's place by axis names: `weights[head 1, query 0, key 2]`."""
    if not index:
        return value
    if len(axes) != len(index):
        return f"{value}[{', '.join(map(str, index))}]"
    return f"{value}[{', '.join(f'{a} {i}' for a, i in zip(axes, index, strict=True))}]"


def shape_words(shape: Sequence[int], axes: Sequence[str] = ()) -> str:
    """Return a shape, with the names of its axes if given: `(query 3, feature 4)`."""
    if not shape:
        return "a single number"
    if len(axes) == len(shape):
        return f"({', '.join(f'{a} {n}' for a, n in zip(axes, shape, strict=True))})"
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def number(value: Any) -> str:
    """Return a number with six significant digits."""
    return _format(value, 6)


def two_numbers(got: Any, expected: Any) -> tuple[str, str]:
    """Return both numbers with enough digits to differ: 6, 9, 12, or all."""
    for digits in (6, 9, 12):
        if _format(got, digits) != _format(expected, digits):
            return _format(got, digits), _format(expected, digits)
    return repr(got), repr(expected)


def _format(value: Any, digits: int) -> str:
    if isinstance(value, complex):
        return f"{value:.{digits}g}"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def _is_finite(value: Any) -> bool:
    return bool(value == value and abs(value) != float("inf"))


def _of_how_many(facts: Any) -> str:
    count, total = facts["count"], facts["total"]
    if total == 1:
        return "its only element"
    if count == total:
        return f"all {total} elements"
    return f"{count} of {total} elements"


def _counted(count: int) -> str:
    return "1 value" if count == 1 else f"{count} values"


def _promise(facts: Any) -> str:
    names = facts["names"]
    if facts["expected"] == "dictionary":
        return f"a dictionary with {', '.join(map(repr, names))}"
    if facts["expected"] == "tuple":
        return f"a tuple ({', '.join(names)})"
    return f"one array ({names[0]})"


def _got(facts: Any) -> str:
    """Return the end of a sentence about the returned value, with its final mark."""
    if facts["why_not"]:
        return why_not_ended(facts["why_not"])
    if facts["container"] == "single":
        return f"one {facts['got']}."
    return f"a {facts['got']} of {_counted(facts['got_count'])}."


def _listed(verb: str, names: Sequence[str]) -> str:
    return f"{verb} {', '.join(map(repr, names))}" if names else ""


def _shape_guess(mismatch: Mismatch) -> str:
    """Return a guess at the cause of a wrong shape, as the end of a sentence."""
    got, expected = list(mismatch.facts["got"]), list(mismatch.facts["expected"])
    axes = mismatch.axes
    # First, since another returned value may have this shape when two lengths are equal.
    for axis, name in enumerate(axes):
        if len(axes) == len(expected) and got == expected[:axis] + expected[axis + 1 :]:
            return f": the axis '{name}' is missing."
    if mismatch.facts.get("shape_of"):
        return f": the shape of {mismatch.facts['shape_of']}; are the values in another order?"
    if len(got) == len(expected) >= 2 and sorted(got) == sorted(expected):
        if len(got) == 2:
            return ": transposed?"
        return ": are the axes in another order?"
    if [n for n in got if n != 1] == [n for n in expected if n != 1] and len(got) != len(expected):
        return ": an axis of length 1 too many." if len(got) > len(expected) else "."
    differing = [i for i, (g, e) in enumerate(zip(got, expected, strict=False)) if g != e]
    if len(got) == len(expected) and len(differing) == 1 and len(axes) == len(expected):
        return f": the length of '{axes[differing[0]]}' differs."
    total = 1
    for n in expected:
        total *= n
    for n in got:
        total = total / n if n else -1
    return ": the elements are there, but reshaped." if total == 1 else "."


def plain_facts(mismatch: Mismatch) -> dict[str, Any]:
    """Return the facts of a mismatch as JSON-able data: a remark becomes its phrase."""
    facts = dict(mismatch.facts)
    if "why_not" in facts:
        facts["why_not"] = why_not(facts["why_not"])
    return facts
