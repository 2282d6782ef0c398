"""Prove that the cases reject every misconception by its own requirement, and trivial answers.

The *kill matrix* has a row for each misconception and a column for each requirement; an entry is
the cases of the requirement that reject the misconception.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader import dependencies, grading, margins, recipes, trivial
from grader.equivalence import same
from grader.grading import PreparedProblem
from grader.margins import Margin
from grader.model import (
    TOGETHER,
    Call,
    Case,
    CaseResult,
    Execution,
    Implementation,
    Misconception,
    Problem,
    Requirement,
    Verdict,
)
from grader.runners import inprocess
from grader.trivial import Filler, Undeserved

LEAST_EXACT = 0.95
"""least share of misconceptions that turn exactly their own requirement red"""
LEAST_KILLED = 0.95
"""least share of misconceptions that the isolating cases, and those of `together`, reject alone"""


@dataclass(frozen=True, slots=True)
class KillRow:
    """One row of the kill matrix: the requirements and cases that reject one misconception."""

    id: str
    violates: str
    red: tuple[str, ...]
    """failed and errored requirements; those that wait for others are not red"""
    rejecting: Mapping[str, tuple[str, ...]]
    """requirement -> its cases that reject the misconception, judged without waiting"""
    exposed_by: str = ""
    """an input that rejects the misconception, as its author describes it"""

    @property
    def kills(self) -> int:
        """The number of cases that reject the misconception."""
        return sum(len(cases) for cases in self.rejecting.values())

    @property
    def is_exact(self) -> bool:
        """Whether exactly the violated requirement is red."""
        return self.red == (self.violates,)


@dataclass(frozen=True, slots=True)
class Audit:
    """The result of auditing one problem with one shift of its seeds."""

    slug: str
    reseed: int
    rows: tuple[KillRow, ...]
    margins: tuple[Margin, ...]
    failed_alternatives: Mapping[str, tuple[str, ...]]
    """alternative -> its unmet requirements"""
    trivials: int
    """ways to make a returned value without computing it; all combinations are tried"""
    undeserved: tuple[Undeserved, ...]
    """requirements that compare values and that such a combination meets"""
    indistinct: tuple[tuple[str, str], ...]
    """pairs of misconceptions that no case tells apart and that are not declared the same"""
    alternatives: int
    cases: int
    isolating_cases: int
    together_cases: int
    isolating_killed: int
    """misconceptions rejected by the isolating cases alone"""
    together_killed: int
    """misconceptions rejected by the cases of `together` alone"""
    problems: tuple[str, ...] = field(default=())
    """the reasons why the audit fails, as sentences"""

    @property
    def exact(self) -> int:
        """The number of misconceptions that turn exactly their own requirement red."""
        return sum(row.is_exact for row in self.rows)


@dataclass(slots=True, eq=False)
class Auditor:
    """Audits one problem. Cases that `--reseed` does not change are run once for all reseeds."""

    problem: Problem
    reference: Implementation
    misconceptions: Sequence[Misconception]
    alternatives: Mapping[str, Implementation]
    _fillers: Sequence[Filler] = ()
    _memory: Filler = field(init=False)
    _drawn: frozenset[str] = frozenset()
    """ids of the cases that `--reseed` changes"""
    _executions: dict[tuple[int, str], Execution] = field(default_factory=dict)
    _distances: dict[int, margins.Distance] = field(default_factory=dict)
    """by the id of an execution in `_executions`"""
    _drawn_distances: dict[int, margins.Distance] = field(default_factory=dict)
    """by the id of an execution of the current audit"""

    def __post_init__(self) -> None:
        self._drawn = frozenset(c.id for c in self.problem.cases if _is_drawn(self.problem, c))
        written = grading.prepare(self.problem, self.reference)
        self._fillers = [*trivial.fillers(self.problem), trivial.first_answer(written)]
        self._memory = trivial.memory(written)

    def audit(self, reseed: int = 0) -> Audit:
        """Audit the cases with every seed shifted by `reseed`. Raises AuthorError."""
        prepared = grading.prepare(self.problem, self.reference, reseed)
        self._drawn_distances.clear()
        wrong = {m.id: self._execute(m.implementation, prepared.calls) for m in self.misconceptions}
        right = {id: self._execute(f, prepared.calls) for id, f in self.alternatives.items()}
        rows = tuple(self._row(prepared, m, wrong[m.id]) for m in self.misconceptions)
        failed = {}
        for id, executions in right.items():
            results = grading.judge_alone(prepared, executions, self._judge_case)
            unmet = tuple(id for id, result in results.items() if not dependencies.is_met(result))
            if unmet:
                failed[id] = unmet
        fillers = [self._memory, *self._fillers] if reseed else self._fillers
        general = self.problem.cases_of(TOGETHER)
        isolating = [c for c in self.problem.cases if c.requirement != TOGETHER and not c.published]
        audit = Audit(
            slug=self.problem.slug,
            reseed=reseed,
            rows=rows,
            margins=tuple(self._margin(prepared, call, wrong, right) for call in prepared.calls),
            failed_alternatives=failed,
            trivials=len(fillers),
            undeserved=tuple(trivial.undeserved(prepared, fillers)),
            indistinct=tuple(self._indistinct(rows, wrong)),
            alternatives=len(right),
            cases=len(self.problem.cases),
            isolating_cases=len(isolating),
            together_cases=len(general),
            isolating_killed=self._killed(prepared, isolating, wrong),
            together_killed=self._killed(prepared, general, wrong),
        )
        return replace(audit, problems=tuple(_problems(audit)))

    def _execute(
        self, implementation: Implementation, calls: Sequence[Call]
    ) -> dict[str, Execution]:
        known = {
            call.case: self._executions[id(implementation), call.case]
            for call in calls
            if (id(implementation), call.case) in self._executions
        }
        todo = [call for call in calls if call.case not in known]
        fresh = inprocess.execute(implementation, self.problem.returns, todo)
        for case, execution in fresh.items():
            if case not in self._drawn:
                self._executions[id(implementation), case] = execution
        return known | fresh

    def _judge_case(
        self,
        prepared: PreparedProblem,
        requirement: Requirement,
        case: Case,
        execution: Execution,
        structure_is_right: bool,
    ) -> CaseResult:
        """Judge an execution as `grading.judge_case` does, by its distance where that suffices.

        The distance is measured for the margins anyway; it has the verdict, but no mismatch.
        """
        found = self._distance(prepared, case, execution)
        if found.is_whole and requirement.checks != "structure":
            if any(ratio > 1 for ratio in found.ratios):
                return CaseResult(case, Verdict.FAILED, execution)
            if requirement.checks == "values":
                return CaseResult(case, Verdict.PASSED, execution)
        return grading.judge_case(prepared, requirement, case, execution, structure_is_right)

    def _distance(
        self, prepared: PreparedProblem, case: Case, execution: Execution
    ) -> margins.Distance:
        """Return the distance of an execution, measured once for all reseeds that share it."""
        known = self._drawn_distances if case.id in self._drawn else self._distances
        if id(execution) not in known:
            known[id(execution)] = margins.distance(execution, prepared, case)
        return known[id(execution)]

    def _row(
        self,
        prepared: PreparedProblem,
        misconception: Misconception,
        executions: Mapping[str, Execution],
    ) -> KillRow:
        alone = grading.judge_alone(prepared, executions, self._judge_case)
        results = dependencies.skip_waiting(self.problem, alone)
        return KillRow(
            id=misconception.id,
            violates=misconception.violates,
            red=tuple(r.requirement.id for r in results if dependencies.is_red(r)),
            rejecting={
                id: tuple(
                    c.case.id
                    for c in result.cases
                    if c.verdict in (Verdict.FAILED, Verdict.ERRORED)
                )
                for id, result in alone.items()
            },
            exposed_by=misconception.exposed_by,
        )

    def _killed(
        self,
        prepared: PreparedProblem,
        cases: Sequence[Case],
        wrong: Mapping[str, Mapping[str, Execution]],
    ) -> int:
        """Return the number of misconceptions that these cases alone reject."""

        def rejects(case: Case, execution: Execution) -> bool:
            requirement = self.problem.requirement(case.requirement)
            result = self._judge_case(prepared, requirement, case, execution, True)
            return result.verdict in (Verdict.FAILED, Verdict.ERRORED)

        return sum(any(rejects(c, e[c.id]) for c in cases) for e in wrong.values())

    def _margin(
        self,
        prepared: PreparedProblem,
        call: Call,
        wrong: Mapping[str, Mapping[str, Execution]],
        right: Mapping[str, Mapping[str, Execution]],
    ) -> Margin:
        case = next(case for case in self.problem.cases if case.id == call.case)
        tolerance = self.problem.tolerance_of(case)

        def ratios(execution: Execution) -> tuple[float, ...]:
            return self._distance(prepared, case, execution).ratios

        noise = [r for executions in right.values() for r in ratios(executions[case.id])]
        deviations = [(id, r) for id, e in wrong.items() for r in ratios(e[case.id])]
        deviations += trivial.deviations(prepared, call, tolerance, self._fillers)
        return margins.margin(case, tolerance, max(noise, default=0.0), deviations)

    def _indistinct(
        self, rows: Sequence[KillRow], wrong: Mapping[str, Mapping[str, Execution]]
    ) -> Iterable[tuple[str, str]]:
        """Yield the pairs of misconceptions with the same execution on every case.

        Pairs that different cases reject differ; for them no execution is compared.
        """
        problem = self.problem
        rejecting = {row.id: row.rejecting for row in rows}
        tolerances = [(case.id, problem.tolerance_of(case)) for case in problem.cases]
        leader = {m.id: m.same_as or m.id for m in self.misconceptions}
        for index, first in enumerate(self.misconceptions):
            for second in self.misconceptions[index + 1 :]:
                if leader[first.id] == leader[second.id]:
                    continue
                if rejecting[first.id] != rejecting[second.id]:
                    continue
                ours, theirs = wrong[first.id], wrong[second.id]
                if all(same(ours[c], theirs[c], problem.returns, t) for c, t in tolerances):
                    yield first.id, second.id


def _is_drawn(problem: Problem, case: Case) -> bool:
    """Return whether `--reseed` changes the case."""
    is_fixed = {symmetry.name for symmetry in problem.symmetries} <= {*case.fixed}
    drawn = not is_fixed or any(map(recipes.is_drawn, case.arguments.values()))
    return drawn and not case.published


def _problems(audit: Audit) -> Iterable[str]:
    for row in audit.rows:
        if row.kills < 2:
            exposing_input = row.exposed_by or f"an input that only {row.violates!r} can change"
            how_many = "no case rejects" if row.kills == 0 else "only one case rejects"
            yield f"{how_many} {row.id}: add a case with {exposing_input}"
    total = len(audit.rows)
    if audit.exact < LEAST_EXACT * total:
        inexact = [row for row in audit.rows if not row.is_exact]
        yield (
            f"only {audit.exact} of {total} misconceptions turn exactly their own requirement red: "
            + (", ".join(f"{row.id} ({' '.join(row.red) or 'nothing'})" for row in inexact))
        )
    yield from map(_solves_nothing, audit.undeserved)
    for first, second in audit.indistinct:
        yield f"no case tells {first} from {second}: add one, or declare them the same"
    for id, unmet in audit.failed_alternatives.items():
        yield f"the right implementation {id} does not meet {', '.join(unmet)}"
    for chosen, cases, killed in (
        ("isolating cases alone", audit.isolating_cases, audit.isolating_killed),
        (f"cases of {TOGETHER!r} alone", audit.together_cases, audit.together_killed),
    ):
        if cases and killed < LEAST_KILLED * total:
            yield f"the {chosen} reject only {killed} of {total} misconceptions"
    for margin in audit.margins:
        if not margin.is_clear:
            yield margins.doubt(margin)


def _solves_nothing(found: Undeserved) -> str:
    answer = " and ".join(f"{filler} as {name}" for name, filler in found.returned)
    advice = "add a case that it fails, or lower a tolerance"
    if trivial.MEMORY in dict(found.returned).values():
        advice = "give a case a random recipe, or a symmetry that changes its answer"
    return f"a submission that returns {answer} meets {found.requirement!r}: {advice}"
