"""Problems of a few lines for tests of judging and diagnosis: an exercise about doubling a row.

A test lists the requirements, and how an implementation behaves on some cases; on other cases it
is right. Cases are named after their requirement: `scale1`, `scale2`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from grader import grading
from grader.errors import Location
from grader.grading import Diagnose, PreparedProblem
from grader.model import (
    Answer,
    Case,
    Execution,
    Limits,
    Parameter,
    Problem,
    Report,
    Requirement,
    RequirementResult,
    ReturnedValue,
    Returns,
    Run,
    Tolerance,
    Value,
)
from grader.runners.inprocess import InProcessRunner, execute

Behaviour = Callable[[Any], Any]

PAIR = Returns("tuple", (ReturnedValue("twice", ("row",)), ReturnedValue("total", ())))
NAMED = Returns("dictionary", PAIR.values)
TOLERANCE = Tolerance(1e-6, 1e-8)
ROW = Returns("single", (ReturnedValue("twice", ("row",)),))


def right(x: Any) -> Any:
    """Return the row doubled, (3,), and its sum, a scalar."""
    return 2 * x, x.sum()


def wrong(x: Any) -> Any:
    """Return numbers that are wrong, of the right shapes."""
    return 2 * x + [0.0, 3.0, 1.0], x.sum()


def raising(x: Any) -> Any:
    """Raise."""
    raise ValueError("no")


def unfinished(x: Any) -> Any:
    """Raise NotImplementedError, as a starter does."""
    raise NotImplementedError


def answer_with(*arrays: Any) -> Answer:
    """Return an answer with these arrays as its values."""
    values = tuple(
        Value("numpy.ndarray", np.asarray(array), str(np.asarray(array).dtype)) for array in arrays
    )
    if len(values) == 1:
        return Answer("single", "numpy.ndarray", values)
    return Answer("tuple", "tuple", values)


def says(id: str, *needs: str, **options: Any) -> Requirement:
    """Return a requirement."""
    return Requirement(id, f"About {id}.", needs, **options)


@dataclass(frozen=True)
class SmallProblem:
    """A prepared problem, and how to run functions on it."""

    prepared: PreparedProblem

    def calls(self, behaviours: Mapping[str, Behaviour], default: Behaviour = right) -> Behaviour:
        """Return an implementation with a behaviour for each case id, chosen by the input alone."""
        case_of = {call.arguments[0][0]: call.case for call in self.prepared.calls}
        assert behaviours.keys() <= set(case_of.values())
        return lambda x: behaviours.get(case_of[x[0]], default)(x)

    def run(self, default: Behaviour = right, **behaviours: Behaviour) -> Run:
        """Run an implementation; `behaviours` maps case ids to behaviours."""
        returns = self.prepared.problem.returns
        implementation = self.calls(behaviours, default)
        return Run(execute(implementation, returns, self.prepared.calls))

    def execution(self, implementation: Behaviour, case: Case) -> Execution:
        """Return the execution of an implementation on one case."""
        (call,) = (call for call in self.prepared.calls if call.case == case.id)
        return execute(implementation, self.prepared.problem.returns, [call])[case.id]

    def report(self, run: Run, diagnose: Diagnose | None = None) -> Report:
        """Judge a run; check that the report contains every case in order."""
        report = grading.report(self.prepared, run, "rows.py", InProcessRunner(), diagnose)
        problem = self.prepared.problem
        assert tuple(r.requirement for r in report.requirements) == problem.requirements
        for result in report.requirements:
            asked = problem.cases_of(result.requirement.id)
            assert tuple(c.case for c in result.cases) == asked
        return report

    def results(self, run: Run) -> dict[str, RequirementResult]:
        """Judge a run; return the results by requirement."""
        return {r.requirement.id: r for r in self.report(run).requirements}

    def verdicts(self, run: Run) -> dict[str, str]:
        """Judge a run; return the verdicts by requirement."""
        return {id: str(result.verdict) for id, result in self.results(run).items()}


def instead(run: Run, **executions: Execution) -> Run:
    """Return a run with the executions of some cases replaced."""
    return replace(run, executions={**run.executions, **executions})


def problem_of(
    *requirements: Requirement,
    returns: Returns = PAIR,
    cases: int = 2,
    hidden: tuple[str, ...] = (),
    tolerances: Mapping[str, Tolerance] | None = None,
    arguments: Mapping[str, Any] | None = None,
    tolerance: Tolerance = TOLERANCE,
) -> Problem:
    """Return a problem with this many cases for each requirement."""
    made: list[Case] = []
    for requirement in requirements:
        for n in range(1, cases + 1):
            id, start = f"{requirement.id}{n}", 10.0 * len(made) + 1
            made.append(
                Case(
                    id,
                    requirement.id,
                    "It is here for a test.",
                    {"x": [start, start + 0.5, start + 2.5]} | dict(arguments or {}),
                    Location(f"{requirement.id}.yaml", 3 * n, 5),
                    tolerance=(tolerances or {}).get(id),
                    hidden=id in hidden,
                )
            )
    return Problem(
        slug="rows",
        title="Rows",
        entry_point="double",
        parameters=(Parameter("x"), Parameter("y", optional=True)),
        returns=returns,
        requirements=requirements,
        cases=tuple(made),
        tolerance=tolerance,
        limits=Limits(seconds=1.5),
        hints=(),
        folder=Path(__file__).parent,
    )


def small_problem(
    *requirements: Requirement, reference: Behaviour = right, **options: Any
) -> SmallProblem:
    """Return a small problem; `options` are those of `problem_of`."""
    return SmallProblem(grading.prepare(problem_of(*requirements, **options), reference))
