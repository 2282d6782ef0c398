"""Grade a submission: run its cases, judge each, skip blocked requirements, make the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from grader import compare, explain, recipes, symmetries
from grader.dependencies import is_met, is_red, skip_waiting
from grader.errors import AuthorError, Complaint
from grader.model import (
    Answer,
    Call,
    Case,
    CaseResult,
    Diagnosis,
    Execution,
    Implementation,
    Job,
    Outcome,
    Outlook,
    Problem,
    Reason,
    Refusal,
    Report,
    Requirement,
    RequirementResult,
    Returns,
    Run,
    Submission,
    Value,
    Verdict,
)
from grader.runners import Runner, inprocess

Diagnose = Callable[[Run, tuple[RequirementResult, ...]], Mapping[str, Diagnosis]]
"""a submission's executions and results -> diagnosis by requirement id"""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedProblem:
    """A problem with built calls and the reference's executions, to grade submissions with."""

    problem: Problem
    calls: tuple[Call, ...]
    expected: Mapping[str, Execution]
    """case id -> the reference's execution, its values in the order of `Returns.values`"""
    reseed: int = 0

    def answer(self, case: Case) -> Answer:
        """Return the reference's answer to a case; `prepare` guarantees that it exists."""
        answer = self.expected[case.id].answer
        assert answer is not None
        return answer


JudgeCase = Callable[[PreparedProblem, Requirement, Case, Execution, bool], CaseResult]
"""the type of `judge_case`"""


def prepare(problem: Problem, reference: Implementation, reseed: int = 0) -> PreparedProblem:
    """Build every case's arguments and run the reference on them.

    Raises AuthorError with the locations of all cases on which the reference raises, does not
    return the promised structure, or returns NaN or infinity.
    """
    calls = build_calls(problem, reseed)
    executions = inprocess.execute(reference, problem.returns, calls)
    expected: dict[str, Execution] = {}
    complaints: list[Complaint] = []
    for case in problem.cases:
        execution = executions[case.id]
        wrong = _reference_complaint(execution, problem)
        if wrong:
            message = f"case {case.id!r}: the reference {wrong}"
            complaints.append(Complaint(message, case.location, _line_of(execution)))
        else:
            expected[case.id] = _in_order(execution, problem.returns)
    if complaints:
        raise AuthorError(*complaints)
    return PreparedProblem(problem, calls, expected, reseed)


def build_calls(problem: Problem, reseed: int = 0) -> tuple[Call, ...]:
    """Return the problem's cases with built arguments, in the author's order."""
    return tuple(
        Call(case.id, case.requirement, _arguments(problem, case, reseed), case.hidden)
        for case in problem.cases
    )


def _arguments(problem: Problem, case: Case, reseed: int) -> tuple[Any, ...]:
    """Return the case's built arguments; those with published answers are never reseeded."""
    if not reseed or case.published:
        return tuple(recipes.build(case.arguments).values())
    built = recipes.build(case.arguments, reseed)
    return tuple(symmetries.changed(problem, case, built, reseed).values())


def grade(
    prepared: PreparedProblem,
    submission: Submission | Refusal,
    name: str,
    runner: Runner,
    diagnose: Diagnose | None = None,
) -> Report:
    """Grade one submission or refusal. `name` is its path as reports show it."""
    started = time.perf_counter()
    if isinstance(submission, Refusal):
        run = Run({}, refusal=submission)
    else:
        run = located(runner.run(job_of(prepared, submission)), submission)
    graded = report(prepared, run, name, runner, diagnose)
    return replace(graded, seconds=time.perf_counter() - started)


def located(run: Run, submission: Submission) -> Run:
    """Return the run with places in the cells of a notebook, where the submission is one."""
    if not submission.line_map:
        return run
    from grader import notebook

    return notebook.relocated(run, submission)


def job_of(prepared: PreparedProblem, submission: Submission) -> Job:
    """Return the job that runs a submission on every case, on the hidden ones last."""
    problem = prepared.problem
    calls = sorted(prepared.calls, key=lambda call: call.hidden)
    return Job(submission, problem.entry_point, problem.returns, calls, problem.limits)


def report(
    prepared: PreparedProblem, run: Run, name: str, runner: Runner, diagnose: Diagnose | None = None
) -> Report:
    """Judge the run of one submission and return its report."""
    problem = prepared.problem
    results = tuple(_with_patterns(prepared, result) for result in judge(prepared, run))
    if diagnose:
        found = diagnose(run, results)
        results = tuple(replace(r, diagnosis=found.get(r.requirement.id)) for r in results)
    required = [r for r in results if not r.requirement.bonus]
    return Report(
        problem=problem,
        submission=name,
        verdict=_outlook(required, run),
        earned=sum((r.requirement.points for r in required if is_met(r)), Fraction(0)),
        possible=sum((r.requirement.points for r in required), Fraction(0)),
        requirements=results,
        refusal=run.refusal,
        warnings=run.warnings,
        runner=runner.name,
        isolation=runner.isolation,
        confined=runner.confines,
        seconds=run.seconds,
        reseed=prepared.reseed,
    )


def _with_patterns(prepared: PreparedProblem, result: RequirementResult) -> RequirementResult:
    """Add to the mismatches of a failed requirement the patterns of their wrong numbers."""
    if not is_red(result):
        return result
    problem = prepared.problem
    cases = []
    for case in result.cases:
        mismatch, answer = case.mismatch, case.execution.answer
        if mismatch and answer:
            expected = prepared.answer(case.case)
            found = compare.structure(answer, problem.returns, expected)
            tolerance = problem.tolerance_of(case.case)
            mismatch = compare.with_patterns(mismatch, found, problem.returns, expected, tolerance)
        cases.append(replace(case, mismatch=mismatch))
    return replace(result, cases=tuple(cases))


def judge(prepared: PreparedProblem, run: Run) -> tuple[RequirementResult, ...]:
    """Return the result of every requirement, in the author's order."""
    if run.refusal:
        return tuple(_not_judged(prepared.problem, r) for r in prepared.problem.requirements)
    return skip_waiting(prepared.problem, judge_alone(prepared, run.executions))


def judge_alone(
    prepared: PreparedProblem, executions: Mapping[str, Execution], judged: JudgeCase | None = None
) -> dict[str, RequirementResult]:
    """Return every requirement's result by id, without regard to `needs`.

    `judged` replaces `judge_case`, so that a caller can record its results.
    """
    judged = judged or judge_case
    problem = prepared.problem
    structure_is_right = True
    results: dict[str, RequirementResult] = {}
    # Structure first: other requirements report a wrong structure only if this one is met.
    for requirement in sorted(problem.requirements, key=lambda r: r.checks != "structure"):
        cases = tuple(
            judged(prepared, requirement, case, executions[case.id], structure_is_right)
            for case in problem.cases_of(requirement.id)
        )
        # A requirement without cases is never met; `grader check` refuses it.
        verdict = max((c.verdict for c in cases), key=lambda v: v.badness, default=Verdict.SKIPPED)
        results[requirement.id] = RequirementResult(requirement, verdict, cases)
        if requirement.checks == "structure" and verdict is not Verdict.PASSED:
            structure_is_right = False
    return results


def judge_case(
    prepared: PreparedProblem,
    requirement: Requirement,
    case: Case,
    execution: Execution,
    structure_is_right: bool,
) -> CaseResult:
    """Return the result of one case.

    `structure_is_right` is true when the structure requirement is met; then a wrong structure in
    a case of another requirement is a mismatch of that case. Otherwise the case is judged by the
    values that have the right structure, or skipped when one that `proves` it is not among them.
    """
    if execution.outcome is Outcome.NOT_RUN:
        return CaseResult(case, Verdict.SKIPPED, execution)
    if execution.outcome is not Outcome.RETURNED or execution.answer is None:
        return CaseResult(case, Verdict.ERRORED, execution)
    problem, expected = prepared.problem, prepared.answer(case)
    found = compare.structure(execution.answer, problem.returns, expected)
    if requirement.checks == "structure" or (structure_is_right and found.mismatch):
        mismatch = found.mismatch
    elif lacking := found.lacking(problem.returns, requirement.proves):
        reason = Reason("structure", values=lacking)
        return CaseResult(case, Verdict.SKIPPED, execution, reason=reason)
    else:
        tolerance = problem.tolerance_of(case)
        mismatch = compare.values(found, problem.returns, expected, tolerance, requirement.checks)
    verdict = Verdict.FAILED if mismatch else Verdict.PASSED
    return CaseResult(case, verdict, execution, mismatch)


def _not_judged(problem: Problem, requirement: Requirement) -> RequirementResult:
    execution = Execution(Outcome.NOT_RUN)
    cases = tuple(
        CaseResult(case, Verdict.SKIPPED, execution, reason=Reason("refused"))
        for case in problem.cases_of(requirement.id)
    )
    return RequirementResult(requirement, Verdict.SKIPPED, cases)


def _outlook(required: list[RequirementResult], run: Run) -> Outlook:
    if run.refusal:
        return Outlook.ERRORED
    if required and all(is_met(r) for r in required):
        return Outlook.PASSED
    if run.executions and all(_not_started(e) for e in run.executions.values()):
        return Outlook.NOT_STARTED
    erred = any(r.verdict is Verdict.ERRORED for r in required)
    return Outlook.ERRORED if erred else Outlook.FAILED


def _not_started(execution: Execution) -> bool:
    failure = execution.failure
    return (
        execution.outcome is Outcome.RAISED
        and failure is not None
        and failure.type_name == "NotImplementedError"
    )


def _reference_complaint(execution: Execution, problem: Problem) -> str:
    """Return the fault of the reference's execution as the end of a sentence, or ''."""
    failure, answer, returns = execution.failure, execution.answer, problem.returns
    if failure:
        return f"raises {failure.type_name}: {failure.message.strip()}"
    assert answer is not None  # in this process a call returns or raises
    if returns.container == "dictionary":
        if sorted(answer.names) != sorted(v.name for v in returns.values):
            return "does not return a dictionary of the promised names"
    elif answer.container != returns.container or len(answer.values) != len(returns.values):
        return f"returns a {answer.type_name}, not {_promised(returns)}"
    for value, promised in zip(_ordered(answer, returns), returns.values, strict=True):
        if value.array is None:
            return f"returns no array as {promised.name!r}, but {explain.why_not(value.why_not)}"
        if value.array.ndim != len(promised.axes):
            axes = ", ".join(promised.axes)
            return f"returns {promised.name!r} with shape {value.array.shape}, not ({axes})"
        if not np.isfinite(value.array).all():
            what = "NaN" if np.isnan(value.array).any() else "infinity"
            return f"returns {what} in {promised.name!r}; choose inputs with a defined result"
        if promised.dtype and value.array.dtype.name != promised.dtype:
            return f"returns {promised.name!r} as {value.array.dtype}, not {promised.dtype}"
    return ""


def _promised(returns: Returns) -> str:
    names = ", ".join(value.name for value in returns.values)
    kind = "one array" if returns.container == "single" else "a tuple"
    return f"{kind} ({names}) as 'returns' promises"


def _line_of(execution: Execution) -> str:
    """Return advice with the innermost line in the problem's own files, or ''."""
    if not execution.failure or not execution.failure.frames:
        return ""
    frame = execution.failure.frames[-1]
    return f"See {Path(frame.path).name}, line {frame.line}: {frame.text}"


def _ordered(answer: Answer, returns: Returns) -> tuple[Value, ...]:
    if returns.container != "dictionary":
        return answer.values
    by_name = dict(zip(answer.names, answer.values, strict=True))
    return tuple(by_name[promised.name] for promised in returns.values)


def _in_order(execution: Execution, returns: Returns) -> Execution:
    """Return the reference's execution with a dictionary's values in the promised order."""
    answer = execution.answer
    if answer is None or returns.container != "dictionary":
        return execution
    names = tuple(promised.name for promised in returns.values)
    return replace(execution, answer=replace(answer, values=_ordered(answer, returns), names=names))
