"""Measure how far right and wrong answers are from the tolerance of a case.

The *ratio* of an answer on a case is `max |actual - expected| / allowed`. Below `NEUTRAL` the case
does not show the mistake, above `CLEAR` it rejects it clearly; a ratio between them is in doubt.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader import compare
from grader.grading import PreparedProblem
from grader.model import Case, Execution, Tolerance

NEUTRAL = 0.1
CLEAR = 10.0


@dataclass(frozen=True, slots=True)
class Margin:
    """The ratios of right and wrong answers to the tolerance of one case."""

    case: str
    noise: float
    """largest ratio of the alternatives"""
    nearest_wrong: float
    """smallest ratio of a wrong answer above `CLEAR`; infinity if there is none"""
    doubtful: tuple[tuple[str, float], ...]
    """wrong answers with a ratio between `NEUTRAL` and `CLEAR`, and their ratios"""
    proposed: Tolerance | None = None
    """for a case in doubt, a tolerance without doubt; None if there is no such tolerance"""

    @property
    def is_clear(self) -> bool:
        """Whether right answers are far inside the tolerance, and wrong ones neutral or outside."""
        return not self.doubtful and self.noise < NEUTRAL


@dataclass(frozen=True, slots=True)
class Distance:
    """How far one answer is from the right one."""

    ratios: tuple[float, ...]
    """of each returned value that has the right structure"""
    is_whole: bool
    """whether the structure of the whole answer is right"""


def distance(execution: Execution, prepared: PreparedProblem, case: Case) -> Distance:
    """Return the distance of an execution; a call that returned nothing has no ratios."""
    if execution.answer is None:
        return Distance((), False)
    returns, expected = prepared.problem.returns, prepared.answer(case)
    judged = compare.structure(execution.answer, returns, expected)
    tolerance = prepared.problem.tolerance_of(case)
    ratios = tuple(
        compare.excess(value.array, compare.array_of(right), tolerance)
        for value, right in zip(judged.values, expected.values, strict=True)
        if value is not None and value.array is not None
    )
    return Distance(ratios, judged.mismatch is None)


def margin(
    case: Case, tolerance: Tolerance, noise: float, deviations: Sequence[tuple[str, float]]
) -> Margin:
    """Return the margin of a case; `deviations` are the names and ratios of wrong answers."""
    doubtful = sorted(((i, r) for i, r in deviations if NEUTRAL <= r <= CLEAR), key=lambda d: d[1])
    nearest = min((r for _, r in deviations if r > CLEAR), default=math.inf)
    proposed = None
    if doubtful or noise >= NEUTRAL:
        proposed = _proposal(tolerance, noise, [r for _, r in deviations])
    return Margin(case.id, noise, nearest, tuple(doubtful), proposed)


def _proposal(tolerance: Tolerance, noise: float, ratios: Iterable[float]) -> Tolerance | None:
    """Return the nearest multiple of the tolerance without doubt, or None if there is none.

    It lies in a gap between two ratios that is wider than `CLEAR / NEUTRAL`: scaled by it, the
    answers below the gap are neutral and those above it clear.
    """
    floor = max(noise, 1e-12)
    ends = sorted({r for r in ratios if floor < r < math.inf})
    scales = [
        min(max(1.0, low / NEUTRAL * 1.5), high / CLEAR / 1.5)
        for low, high in zip([floor, *ends], ends, strict=False)
        if high / low > 2.25 * CLEAR / NEUTRAL
    ]
    if not scales:
        return None
    scale = min(scales, key=lambda s: abs(math.log(s)))
    return Tolerance(_round(tolerance.rtol * scale), _round(tolerance.atol * scale))


def _round(value: float) -> float:
    return float(f"{value:.1e}")


def doubt(margin: Margin) -> str:
    """Return a sentence about a case in doubt, with the tolerance to choose."""
    parts = [f"case {margin.case!r} is in doubt:"]
    if margin.noise >= NEUTRAL:
        parts.append(f"right answers differ by {margin.noise:.2g} of the tolerance;")
    if margin.doubtful:
        listed = ", ".join(f"{id} {ratio:.2g}" for id, ratio in margin.doubtful[:5])
        parts.append(f"neither neutral nor clearly wrong, as a ratio to the tolerance: {listed};")
    if margin.proposed:
        p = margin.proposed
        parts.append(f"proposed: tolerance: {{rtol: {p.rtol:g}, atol: {p.atol:g}}}")
    else:
        parts.append("no tolerance fits: change the input")
    return " ".join(parts)
