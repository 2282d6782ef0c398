"""Answers that do not solve the exercise, and the requirements that they meet.

A *filler* makes one returned value without computing it: zeros, an input, random numbers, the
answer to another case. A *trivial submission* returns a filler as each value. For each requirement
`undeserved` finds a trivial submission that meets it, if any combination of the fillers does: a
filler can stand for a value if every case passes while the other values are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader import compare, grading
from grader.dependencies import is_met
from grader.grading import PreparedProblem
from grader.model import Call, Execution, Problem, Requirement, Returns, Tolerance, Verdict
from grader.runners import inprocess

Array = NDArray[Any]

CONSTANTS = (-1.0, 9999.0, 1e4, 1e8, 1e300)
"""numbers of the size of a wide tolerance and beyond"""
MEMORY = "the answers without --reseed"
"""the name of the filler that `memory` returns"""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """The place of a returned value: the call, the value's position, and the right value."""

    call: Call
    position: int
    right: Array


@dataclass(frozen=True, slots=True, eq=False)
class Filler:
    """A name for messages, and what a trivial submission returns at a place."""

    name: str
    fill: Callable[[Place], Any]
    measured: bool = True
    """whether the audit also measures its distance from the tolerance; a constant can be as large
    as any tolerance, so its distance says nothing about a case"""
    remembers: bool = False
    """whether it knows the answers of the cases as written; those that a statement publishes are
    known to everybody"""


@dataclass(frozen=True, slots=True)
class Undeserved:
    """A requirement that a trivial submission meets, and the submission."""

    requirement: str
    returned: tuple[tuple[str, str], ...]
    """name of each returned value -> name of its filler"""


def fillers(problem: Problem) -> list[Filler]:
    """Return the fillers that know only the arguments of a call and the shapes of its answer."""
    return [
        Filler("zeros", _zeros),
        Filler("ones", lambda place: np.ones(place.right.shape)),
        Filler("NaN", lambda place: np.full(place.right.shape, np.nan)),
        *map(_constant, CONSTANTS),
        Filler("equal shares", _equal_shares),
        Filler("random numbers", _random),
        *map(_argument, range(len(problem.parameters)), (p.name for p in problem.parameters)),
        Filler("None", lambda _: None, measured=False),
    ]


def first_answer(prepared: PreparedProblem) -> Filler:
    """Return the filler that repeats the answer to the first visible case."""
    visible = [case for case in prepared.problem.cases if not case.hidden]
    values = prepared.answer(visible[0]).values if visible else ()

    def fill(place: Place) -> Array:
        return _shaped(values[place.position].array, place) if values else _zeros(place)

    return Filler("the first case's answer", fill)


def memory(written: PreparedProblem) -> Filler:
    """Return the filler that repeats the answers of the cases as written, whatever `--reseed` does.

    It stands for the best table of answers: one that recognises every visible case.
    """
    visible = {case.id for case in written.problem.cases if not case.hidden}

    def fill(place: Place) -> Array:
        if place.call.case not in visible:
            return _zeros(place)
        return _shaped(_right_values(written, place.call)[place.position], place)

    return Filler(MEMORY, fill, measured=False, remembers=True)


def undeserved(prepared: PreparedProblem, tried: Sequence[Filler]) -> Iterable[Undeserved]:
    """Yield the requirements that compare values and that a combination of fillers meets."""
    names = [value.name for value in prepared.problem.returns.values]
    for requirement in prepared.problem.requirements:
        if requirement.checks == "structure" or not prepared.problem.cases_of(requirement.id):
            continue
        chosen = [
            next((f for f in tried if _stands_for(f, position, prepared, requirement)), None)
            for position in range(len(names))
        ]
        submission = [filler for filler in chosen if filler]
        if len(submission) == len(names) and _is_met_by(submission, prepared, requirement):
            returned = zip(names, (filler.name for filler in submission), strict=True)
            yield Undeserved(requirement.id, tuple(returned))


def deviations(
    prepared: PreparedProblem, call: Call, tolerance: Tolerance, tried: Sequence[Filler]
) -> Iterable[tuple[str, float]]:
    """Yield the measured fillers of a call and their ratios to the tolerance."""
    names = [value.name for value in prepared.problem.returns.values]
    for position, right in enumerate(_right_values(prepared, call)):
        for filler in tried:
            if filler.measured:
                filled = filler.fill(Place(call, position, right))
                ratio = compare.excess(filled, right, tolerance)
                yield f"{filler.name} as {names[position]}", ratio


def _stands_for(
    filler: Filler, position: int, prepared: PreparedProblem, requirement: Requirement
) -> bool:
    """Return whether all cases pass with the filler at this position and the other values right."""
    calls = {call.case: call for call in prepared.calls}
    cases = prepared.problem.cases_of(requirement.id)
    if filler.remembers and all(case.published for case in cases):
        return False
    for case in cases:
        call = calls[case.id]
        values = _right_values(prepared, call)
        values[position] = filler.fill(Place(call, position, values[position]))
        execution = _execution(values, prepared.problem.returns, call)
        result = grading.judge_case(prepared, requirement, case, execution, False)
        if result.verdict is not Verdict.PASSED:
            return False
    return True


def _is_met_by(
    submission: Sequence[Filler], prepared: PreparedProblem, requirement: Requirement
) -> bool:
    """Return whether a submission meets a requirement; it returns these fillers in every case."""
    executions: Mapping[str, Execution] = {
        call.case: _execution(
            [
                filler.fill(Place(call, position, right))
                for position, (filler, right) in enumerate(
                    zip(submission, _right_values(prepared, call), strict=True)
                )
            ],
            prepared.problem.returns,
            call,
        )
        for call in prepared.calls
    }
    return is_met(grading.judge_alone(prepared, executions)[requirement.id])


def _right_values(prepared: PreparedProblem, call: Call) -> list[Any]:
    answer = prepared.expected[call.case].answer
    assert answer is not None
    return [compare.array_of(value) for value in answer.values]


def _execution(values: Sequence[Any], returns: Returns, call: Call) -> Execution:
    """Return the execution of a call that returns these values in the promised container."""
    returned: Any = tuple(values)
    if returns.container == "single":
        (returned,) = values
    elif returns.container == "dictionary":
        returned = dict(zip((value.name for value in returns.values), values, strict=True))
    return inprocess.execute(lambda *_: returned, returns, [call])[call.case]


def _constant(number: float) -> Filler:
    return Filler(f"{number:g} everywhere", lambda p: np.full(p.right.shape, number), False)


def _equal_shares(place: Place) -> Array:
    shape = place.right.shape
    return np.full(shape, 1 / max((1, *shape[-1:])))


def _random(place: Place) -> Array:
    return np.asarray(np.random.RandomState(0).normal(size=place.right.shape))


def _argument(position: int, name: str) -> Filler:
    def fill(place: Place) -> Array:
        given = place.call.arguments[position : position + 1]
        return _shaped(given[0], place) if given else _zeros(place)

    return Filler(name, fill)


def _zeros(place: Place) -> Array:
    return np.zeros(place.right.shape)


def _shaped(value: Any, place: Place) -> Array:
    """Return the value if it is an array of the right shape, else zeros."""
    fits = isinstance(value, np.ndarray) and value.shape == place.right.shape
    return value if fits else _zeros(place)
