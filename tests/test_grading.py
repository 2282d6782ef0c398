"""Verdicts, points and waiting requirements, computed from executions.

The problems have a few lines each.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_problem import (
    NAMED,
    PAIR,
    ROW,
    SmallProblem,
    instead,
    problem_of,
    raising,
    right,
    says,
    small_problem,
    unfinished,
    wrong,
)

from grader import compare, dependencies, explain, grading
from grader.errors import AuthorError
from grader.model import (
    CaseResult,
    Diagnosis,
    Execution,
    Failure,
    Job,
    Outcome,
    Outlook,
    Reason,
    Refusal,
    RequirementResult,
    ReturnedValue,
    Returns,
    Run,
    Submission,
    Tolerance,
    Verdict,
    Warned,
)
from grader.runners.inprocess import InProcessRunner

SHAPES = says("shapes", checks="structure")
TIMED_OUT = Execution(Outcome.TIMED_OUT, failure=Failure("timeout"))
NOT_RELOADED = "not run: the file could not be loaded a second time"
DRY = Warned("UserWarning", "the moat is dry")
NOT_RUN = Execution(Outcome.NOT_RUN, failure=Failure("not_reloaded"))


def bare(x: Any) -> Any:
    """Return the first value only."""
    return right(x)[0]


def total_in_a_list(x: Any) -> Any:
    """Return a total with an axis too many."""
    return 2 * x, np.array([x.sum()])


def nothing_right(x: Any) -> Any:
    """Return two values of wrong shapes."""
    return x[:2], x


# --- one case -------------------------------------------------------------------------------------


def test_a_right_answer_meets_every_requirement() -> None:
    small = small_problem(SHAPES, says("scale"))
    report = small.report(small.run())
    assert small.verdicts(small.run()) == {"shapes": "passed", "scale": "passed"}
    assert (report.verdict, report.earned, report.possible) == (Outlook.PASSED, 2, 2)
    for result in report.requirements:
        assert [c.verdict for c in result.cases] == [Verdict.PASSED] * 2
        assert [c.mismatch for c in result.cases] == [None, None]


@pytest.mark.parametrize("answer", [total_in_a_list, bare, lambda x: (2 * x, None)])
def test_a_wrong_structure_fails_only_the_structure_requirement(answer: Any) -> None:
    small = small_problem(SHAPES, says("scale"), says("first", proves=("twice",)))
    verdicts = {"shapes": "failed", "scale": "skipped", "first": "passed"}
    assert small.verdicts(small.run(answer)) == verdicts


def test_a_requirement_is_not_met_by_the_values_that_do_not_prove_it() -> None:
    small = small_problem(
        SHAPES, says("both"), says("first", proves=("twice",)), says("second", proves=("total",))
    )
    results = small.results(small.run(lambda x: (None, x.sum())))
    verdicts = {id: str(result.verdict) for id, result in results.items()}
    assert verdicts == {
        "shapes": "failed",
        "both": "skipped",
        "first": "skipped",
        "second": "passed",
    }
    for id in ("both", "first"):
        assert results[id].waits_for == ("shapes",)
        assert {explain.reason(case) for case in results[id].cases} == {
            "needs twice in the right shape"
        }


def test_a_red_requirement_does_not_wait_for_one_that_lacks_values_because_of_it() -> None:
    """The shapes are wrong because of `columns`; that `early` cannot be judged is no cause."""
    shapes = says("shapes", "columns", checks="structure")
    small = small_problem(says("early"), says("columns", "early", proves=("twice",)), shapes)
    wrong_total = dict.fromkeys(("early1", "early2"), total_in_a_list)
    run = small.run(lambda x: (2 * x + 1, [x.sum()]), **wrong_total)
    results = small.results(run)
    verdicts = {id: str(result.verdict) for id, result in results.items()}
    assert verdicts == {"early": "skipped", "columns": "failed", "shapes": "skipped"}
    assert results["early"].waits_for == ("columns",)
    assert results["shapes"].waits_for == ("columns",)


def test_values_of_right_shape_are_judged_beside_a_wrong_shape() -> None:
    small = small_problem(SHAPES, says("scale", proves=("twice",)))
    run = small.run(total_in_a_list, scale2=lambda x: (2 * x + 1, [x.sum()]))
    assert small.verdicts(run) == {"shapes": "failed", "scale": "failed"}
    first, second = small.results(run)["scale"].cases
    assert (first.verdict, second.verdict) == (Verdict.PASSED, Verdict.FAILED)
    assert second.mismatch is not None
    assert (second.mismatch.kind, second.mismatch.value) == ("values", "twice")


def test_values_of_right_shape_are_judged_after_a_wrong_shape() -> None:
    small = small_problem(SHAPES, says("scale", proves=("total",)))
    run = small.run(lambda x: (x[:1], x.sum()), scale2=lambda x: (x[:1], x.sum() + 1))
    assert small.verdicts(run) == {"shapes": "failed", "scale": "failed"}
    mismatch = small.results(run)["scale"].cases[1].mismatch
    assert mismatch is not None
    assert (mismatch.kind, mismatch.value) == ("values", "total")


def test_values_are_not_judged_when_no_returned_value_has_the_right_shape() -> None:
    small = small_problem(says("scale"), SHAPES)
    run = small.run(nothing_right)
    assert small.verdicts(run) == {"scale": "skipped", "shapes": "failed"}
    scale = small.results(run)["scale"]
    assert scale.waits_for == ("shapes",)
    assert {c.reason for c in scale.cases} == {Reason("structure", values=("twice", "total"))}
    assert {c.mismatch for c in scale.cases} == {None}


@pytest.mark.parametrize("answer", [total_in_a_list, nothing_right, bare])
def test_a_wrong_structure_fails_its_case_when_structure_cases_pass(
    answer: Any,
) -> None:
    small = small_problem(says("scale"), SHAPES)  # the order of requirements does not matter
    run = small.run(scale1=answer)
    assert small.verdicts(run) == {"scale": "failed", "shapes": "passed"}
    mismatch = small.results(run)["scale"].cases[0].mismatch
    assert mismatch is not None
    assert mismatch.kind in ("shape", "kind")


def test_a_wrong_shape_is_reported_before_wrong_values() -> None:
    small = small_problem(SHAPES, says("scale"))
    run = small.run(scale1=lambda x: (2 * x + 1, [x.sum()]))
    mismatch = small.results(run)["scale"].cases[0].mismatch
    assert mismatch is not None
    assert (mismatch.kind, mismatch.value) == ("shape", "total")


def test_wrong_numbers_do_not_fail_a_structure_requirement() -> None:
    small = small_problem(SHAPES, says("scale"))
    assert small.verdicts(small.run(wrong)) == {"shapes": "passed", "scale": "failed"}


def test_only_a_dtype_requirement_judges_element_types() -> None:
    returns = Returns("single", (ReturnedValue("twice", ("row",), "float64"),))
    small = small_problem(
        says("scale"), says("kind", checks="dtype"), returns=returns, reference=lambda x: 2 * x
    )
    run = small.run(lambda x: np.float32(2 * x))
    assert small.verdicts(run) == {"scale": "passed", "kind": "failed"}
    assert [c.mismatch and c.mismatch.kind for c in small.results(run)["kind"].cases] == [
        "dtype",
        "dtype",
    ]


def test_a_case_is_judged_with_its_own_tolerance() -> None:
    small = small_problem(says("scale"), tolerances={"scale1": Tolerance(0.0, 10.0)})
    first, second = small.results(small.run(wrong))["scale"].cases
    assert (first.verdict, second.verdict) == (Verdict.PASSED, Verdict.FAILED)


@pytest.mark.parametrize(
    "outcome", [o for o in Outcome if o not in (Outcome.RETURNED, Outcome.NOT_RUN)]
)
def test_a_call_that_did_not_return_is_an_error(outcome: Outcome) -> None:
    small = small_problem(SHAPES, says("scale"))
    ended = Execution(outcome, failure=Failure("gone"))
    run = instead(small.run(), scale1=ended, shapes2=ended)
    assert small.verdicts(run) == {"shapes": "errored", "scale": "errored"}
    assert small.report(run).verdict is Outlook.ERRORED
    assert small.results(run)["scale"].cases[0].execution is ended


def test_an_answer_is_judged_only_with_the_outcome_returned() -> None:
    small = small_problem(says("scale"))
    run = small.run()
    late = replace(run.executions["scale1"], outcome=Outcome.TIMED_OUT)
    assert small.verdicts(instead(run, scale1=late)) == {"scale": "errored"}


def test_a_return_without_an_answer_is_an_error() -> None:
    small = small_problem(says("scale"))
    run = instead(small.run(), scale1=Execution(Outcome.RETURNED))
    assert small.verdicts(run) == {"scale": "errored"}


def test_a_case_that_was_not_run_is_skipped_with_a_reason() -> None:
    small = small_problem(says("scale"))
    run = instead(small.run(), scale1=NOT_RUN, scale2=Execution(Outcome.NOT_RUN))
    first, second = small.results(run)["scale"].cases
    assert (first.verdict, explain.reason(first)) == (Verdict.SKIPPED, NOT_RELOADED)
    assert (second.verdict, explain.reason(second)) == (Verdict.SKIPPED, "not run")


# --- one requirement ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ("right", "right", "passed"),
        ("right", "left out", "skipped"),
        ("right", "wrong", "failed"),
        ("right", "raising", "errored"),
        ("left out", "wrong", "failed"),
        ("left out", "raising", "errored"),
        ("wrong", "raising", "errored"),
    ],
)
def test_a_requirement_has_the_verdict_of_its_worst_case(
    first: str, second: str, verdict: str
) -> None:
    small = small_problem(says("scale"))
    behaviours = {"right": right, "wrong": wrong, "raising": raising}
    for pair in ((first, second), (second, first)):
        ids = dict(zip(["scale1", "scale2"], pair, strict=True))
        left_out = {id: NOT_RUN for id, does in ids.items() if does == "left out"}
        run = small.run(**{id: behaviours[does] for id, does in ids.items() if id not in left_out})
        assert small.verdicts(instead(run, **left_out)) == {"scale": verdict}


def test_a_requirement_without_cases_is_never_met() -> None:
    small = small_problem(says("scale"), cases=0)
    report = small.report(small.run())
    assert small.verdicts(small.run()) == {"scale": "skipped"}
    assert (report.verdict, report.earned) == (Outlook.FAILED, 0)


def test_cases_before_a_timeout_keep_their_verdicts() -> None:
    small = small_problem(says("scale"), cases=3)
    run = instead(small.run(), scale2=TIMED_OUT, scale3=NOT_RUN)
    assert [str(c.verdict) for c in small.results(run)["scale"].cases] == [
        "passed",
        "errored",
        "skipped",
    ]


# --- needs and waiting ----------------------------------------------------------------------------


def test_a_failed_requirement_is_skipped_while_a_needed_one_is_unmet() -> None:
    small = small_problem(says("scale"), says("sum", "scale"))
    run = small.run(scale1=wrong, sum2=wrong)
    assert small.verdicts(run) == {"scale": "failed", "sum": "skipped"}
    result = small.results(run)["sum"]
    assert result.waits_for == ("scale",)
    assert [str(c.verdict) for c in result.cases] == ["passed", "skipped"]
    assert [c.reason for c in result.cases] == [None, Reason("waits", ("scale",))]
    assert [c.mismatch for c in result.cases] == [None, None]
    assert result.cases[1].execution is run.executions["sum2"]


@pytest.mark.parametrize("needed", [wrong, raising])
def test_an_errored_requirement_is_skipped_while_a_needed_one_is_unmet(needed: Any) -> None:
    small = small_problem(says("scale"), says("sum", "scale"))
    run = small.run(scale1=needed, sum2=raising)
    assert small.verdicts(run)["sum"] == "skipped"


def test_a_passed_requirement_is_met_when_a_needed_one_fails() -> None:
    small = small_problem(says("scale"), says("sum", "scale"))
    run = small.run(scale1=wrong)
    assert small.verdicts(run) == {"scale": "failed", "sum": "passed"}
    assert small.results(run)["sum"].waits_for == ()
    assert small.report(run).earned == 1


def test_a_failed_requirement_is_red_when_all_needed_ones_are_met() -> None:
    small = small_problem(says("scale"), says("sum", "scale"))
    assert small.verdicts(small.run(sum1=wrong)) == {"scale": "passed", "sum": "failed"}


def test_needs_are_transitive_and_name_the_failed_requirement() -> None:
    small = small_problem(says("a"), says("b", "a"), says("c", "b"), says("d", "c"))
    run = small.run(a1=wrong, b1=wrong, d1=wrong)  # c is met
    assert small.verdicts(run) == {
        "a": "failed",
        "b": "skipped",
        "c": "passed",
        "d": "skipped",
    }
    results = small.results(run)
    assert results["b"].waits_for == ("a",)
    assert results["d"].waits_for == ("a",)


def test_several_unmet_needs_are_named_in_the_authors_order() -> None:
    small = small_problem(says("a"), says("b"), says("c"), says("d", "c", "b", "a"))
    run = small.run(a1=wrong, c1=raising, d1=wrong)
    result = small.results(run)["d"]
    assert result.waits_for == ("a", "c")
    assert explain.reason(result.cases[0]) == "waits for a, c"


def test_a_requirement_waits_for_a_needed_one_that_was_not_run() -> None:
    small = small_problem(says("a"), says("b", "a"), says("c"))
    run = instead(small.run(b1=wrong, c1=raising), a1=NOT_RUN)
    assert small.verdicts(run) == {"a": "skipped", "b": "skipped", "c": "errored"}
    assert small.results(run)["b"].waits_for == ("a",)


def test_a_requirement_does_not_wait_when_nothing_else_would_be_red() -> None:
    small = small_problem(says("a"), says("b", "a"), says("c", "b"))
    run = instead(small.run(b1=wrong, c1=wrong), a1=NOT_RUN)
    assert small.verdicts(run) == {"a": "skipped", "b": "failed", "c": "skipped"}


def test_the_structure_is_red_when_it_and_another_requirement_wait_for_each_other() -> None:
    small = small_problem(
        says("first"), says("shape", "last", checks="structure"), says("last", "first")
    )
    run = small.run(
        first1=lambda x: (x.sum(), x), shape1=lambda x: (2 * x, x), last1=lambda x: (x, x)
    )
    assert small.verdicts(run) == {"first": "skipped", "shape": "failed", "last": "skipped"}


BEHAVIOURS = {
    "right": right,
    "wrong": wrong,
    "raises": raising,
    "shape": lambda x: (2 * x, x),
    "swapped": lambda x: (x.sum(), 2 * x),
    "bare": lambda x: x,
    "wrong and shape": lambda x: (x, x),
}


@given(data=st.data())
@settings(deadline=None)
def test_a_submission_that_fails_has_a_red_requirement(data: st.DataObject) -> None:
    ids = ["a", "b", "c", "d"]
    structure = data.draw(st.sampled_from(ids))
    requirements = [
        says(
            id,
            *data.draw(st.sets(st.sampled_from(ids[:position]))),
            checks="structure" if id == structure else "values",
        )
        if position
        else says(id, checks="structure" if id == structure else "values")
        for position, id in enumerate(ids)
    ]
    small = small_problem(*requirements, cases=1)
    chosen = {f"{id}1": data.draw(st.sampled_from(sorted(BEHAVIOURS))) for id in ids}
    report = small.report(small.run(**{case: BEHAVIOURS[name] for case, name in chosen.items()}))
    verdicts = {str(result.verdict) for result in report.requirements}
    assert report.verdict == "passed" or verdicts & {"failed", "errored"}, chosen


def test_a_failed_need_is_named_before_one_that_was_not_run() -> None:
    small = small_problem(says("a"), says("b"), says("c", "a", "b"))
    run = instead(small.run(b1=wrong, c1=wrong), a1=NOT_RUN)
    assert small.results(run)["c"].waits_for == ("b",)


def test_a_case_that_was_not_run_keeps_its_reason_in_a_waiting_requirement() -> None:
    small = small_problem(says("a"), says("b", "a"))
    run = instead(small.run(a1=wrong, b1=wrong), b2=NOT_RUN)
    reasons = [explain.reason(c) for c in small.results(run)["b"].cases]
    assert reasons == ["waits for a", NOT_RELOADED]


def test_a_need_without_right_shapes_makes_its_dependents_wait_for_structure() -> None:
    small = small_problem(SHAPES, says("a"), says("b", "a"))
    run = small.run(total_in_a_list, a1=nothing_right, a2=nothing_right, b1=wrong)
    assert small.verdicts(run) == {"shapes": "failed", "a": "skipped", "b": "skipped"}
    assert small.results(run)["a"].waits_for == ("shapes",)
    assert small.results(run)["b"].waits_for == ("shapes",)


def test_wrong_numbers_do_not_wait_for_structure() -> None:
    small = small_problem(SHAPES, says("a"))
    run = small.run(total_in_a_list, a1=wrong)
    assert small.verdicts(run) == {"shapes": "failed", "a": "failed"}
    assert small.results(run)["a"].waits_for == ()


def test_structure_waits_for_an_errored_need_but_not_for_one_that_waits_for_structure() -> None:
    small = small_problem(says("a"), says("shapes", "a", checks="structure"))
    blind = small.run(nothing_right)
    assert small.verdicts(blind) == {"a": "skipped", "shapes": "failed"}
    assert small.results(blind)["a"].waits_for == ("shapes",)
    crashing = small.run(nothing_right, a1=raising)
    assert small.verdicts(crashing) == {"a": "errored", "shapes": "skipped"}
    assert small.results(crashing)["shapes"].waits_for == ("a",)


def test_a_requirement_that_was_not_run_and_has_no_needs_waits_for_nothing() -> None:
    small = small_problem(SHAPES, says("a"))
    run = instead(small.run(), a1=NOT_RUN)
    assert small.verdicts(run) == {"shapes": "passed", "a": "skipped"}
    assert small.results(run)["a"].waits_for == ()


def test_a_shared_need_is_named_once() -> None:
    small = small_problem(says("a"), says("b", "a"), says("c", "a"), says("d", "b", "c"))
    assert small.results(small.run(a1=wrong, d1=wrong))["d"].waits_for == ("a",)


def test_requirements_keep_the_authors_order() -> None:
    small = small_problem(says("b"), SHAPES, says("a"))
    for run in (small.run(), Run({}, refusal=Refusal("syntax", Failure("syntax")))):
        assert list(small.verdicts(run)) == ["b", "shapes", "a"]


def test_failed_and_errored_are_red_and_passed_is_met() -> None:
    found = {}
    for verdict in Verdict:
        result = RequirementResult(says("a"), verdict, ())
        found[str(verdict)] = (dependencies.is_met(result), dependencies.is_red(result))
    assert found == {
        "passed": (True, False),
        "skipped": (False, False),
        "failed": (False, True),
        "errored": (False, True),
    }


# --- points and the verdict of the report ---------------------------------------------------------


def test_points_are_exact_sums_of_fractions() -> None:
    third = Fraction(1, 3)
    small = small_problem(
        *(says(id, points=third) for id in "abc"), says("d", points=Fraction(7, 2))
    )
    report = small.report(small.run(b1=wrong))
    assert (report.earned, report.possible) == (Fraction(25, 6), Fraction(9, 2))
    whole = small.report(small.run(d1=wrong))
    assert (whole.earned, type(whole.earned)) == (1, Fraction)


def test_a_bonus_changes_neither_verdict_nor_points() -> None:
    small = small_problem(says("a"), says("extra", bonus=True, points=Fraction(5)))
    for run in (small.run(), small.run(extra1=wrong), small.run(extra1=raising)):
        report = small.report(run)
        assert (report.verdict, report.earned, report.possible) == (Outlook.PASSED, 1, 1)
        assert [r.requirement.id for r in report.requirements] == ["a", "extra"]
    alone = small.report(small.run(a1=wrong))
    assert (alone.verdict, alone.earned) == (Outlook.FAILED, 0)


def test_an_exercise_with_only_a_bonus_is_never_passed() -> None:
    small = small_problem(says("extra", bonus=True))
    report = small.report(small.run())
    assert (report.verdict, report.possible) == (Outlook.FAILED, 0)
    assert type(report.earned) is type(report.possible) is Fraction


def test_meeting_one_of_two_requirements_is_not_a_pass() -> None:
    small = small_problem(says("a"), says("b"))
    assert small.report(small.run(a1=wrong)).verdict is Outlook.FAILED
    assert small.report(small.run(a1=raising, b1=wrong)).verdict is Outlook.ERRORED


def test_a_submission_without_any_run_case_fails() -> None:
    small = small_problem(SHAPES, says("a"), says("b", "a"))
    ids = [case.id for case in small.prepared.problem.cases]
    for left_out in (NOT_RUN, Execution(Outcome.NOT_RUN)):
        report = small.report(Run(dict.fromkeys(ids, left_out)))
        assert (report.verdict, report.earned, report.possible) == (Outlook.FAILED, 0, 3)
        assert {r.verdict for r in report.requirements} == {Verdict.SKIPPED}


def test_an_untouched_starter_is_not_started() -> None:
    small = small_problem(SHAPES, says("a"))
    report = small.report(small.run(unfinished))
    assert (report.verdict, report.earned) == (Outlook.NOT_STARTED, 0)


def test_an_answer_or_another_exception_makes_a_submission_started() -> None:
    small = small_problem(SHAPES, says("a"))
    assert small.report(small.run(unfinished, a1=right)).verdict is Outlook.ERRORED
    assert small.report(small.run(unfinished, a1=raising)).verdict is Outlook.ERRORED
    silent = Execution(Outcome.RAISED)
    assert small.report(instead(small.run(unfinished), a1=silent)).verdict is Outlook.ERRORED
    claimed = Execution(Outcome.CRASHED, failure=Failure("signal", "NotImplementedError"))
    assert small.report(instead(small.run(unfinished), a1=claimed)).verdict is Outlook.ERRORED


def test_a_submission_passes_with_a_bonus_that_is_not_started() -> None:
    small = small_problem(says("a"), says("extra", bonus=True))
    run = small.run(extra1=unfinished, extra2=unfinished)
    assert small.report(run).verdict is Outlook.PASSED


def test_a_refused_submission_is_an_error_and_every_case_is_skipped() -> None:
    small = small_problem(SHAPES, says("a"), says("b", "a"))
    refusal = Refusal("syntax", Failure("syntax"), line=3)
    report = grading.grade(small.prepared, refusal, "rows.py", InProcessRunner())
    assert (report.verdict, report.earned, report.possible) == (Outlook.ERRORED, 0, 3)
    assert report.refusal is refusal
    for result in report.requirements:
        assert (result.verdict, result.waits_for) == (Verdict.SKIPPED, ())
        assert [c.case.id for c in result.cases] == [
            f"{result.requirement.id}1",
            f"{result.requirement.id}2",
        ]
        assert {c.verdict for c in result.cases} == {Verdict.SKIPPED}
        assert {c.reason for c in result.cases} == {Reason("refused")}
        assert {c.execution.outcome for c in result.cases} == {Outcome.NOT_RUN}


# --- from a submission to a report ----------------------------------------------------------------

SOURCE = b"""\
def double(x):
    print("called with", x[0])
    return 2 * x, x.sum()
"""


def test_grade_runs_all_cases_and_reports_the_shown_name() -> None:
    small = small_problem(says("a"), says("b"))
    report = grading.grade(
        small.prepared, Submission("r.py", SOURCE), "shown.py", InProcessRunner()
    )
    assert report.verdict is Outlook.PASSED
    assert (report.submission, report.runner, report.isolation) == ("shown.py", "inprocess", ())
    assert report.problem is small.prepared.problem
    assert report.refusal is None
    assert 0 < report.seconds < 60


def test_grade_measures_its_time_and_adds_the_diagnosis() -> None:
    class Timeless(InProcessRunner):
        def run(self, job: Job) -> Run:
            return replace(super().run(job), seconds=0.0)

    small = small_problem(says("a"))
    named = Diagnosis("off", "You add something.")
    source = SOURCE.replace(b"2 *", b"3 *")
    report = grading.grade(
        small.prepared, Submission("r.py", source), "r.py", Timeless(), lambda *_: {"a": named}
    )
    assert report.seconds > 0
    assert report.requirements[0].diagnosis is named


def test_a_report_has_seconds_runner_isolation_and_warnings() -> None:
    class Elsewhere(InProcessRunner):
        name = "elsewhere"
        isolation = ("a wall", "a moat")

    small = small_problem(says("a"))
    run = replace(small.run(), seconds=1.25, warnings=(DRY,))
    report = grading.report(small.prepared, run, "rows.py", Elsewhere())
    assert (report.seconds, report.runner) == (1.25, "elsewhere")
    assert (report.isolation, report.warnings) == (("a wall", "a moat"), (DRY,))


def test_frames_of_a_notebook_have_cell_and_line() -> None:
    small = small_problem(says("a"))
    source = b"def double(x):\n    raise ValueError('no')\n"
    lines = ((4, 1), (4, 2))
    notebook = Submission("rows.ipynb", source, line_map=lines)
    places = []
    for submission in (notebook, replace(notebook, line_map=())):
        report = grading.grade(small.prepared, submission, "rows.ipynb", InProcessRunner())
        failure = report.requirements[0].cases[0].execution.failure
        assert failure is not None
        places.append([(frame.path, frame.cell, frame.line) for frame in failure.frames])
    assert places == [[("rows.ipynb", 4, 2)], [("rows.ipynb", None, 2)]]


def test_hidden_cases_run_last_and_other_cases_keep_the_authors_order() -> None:
    small = small_problem(says("a"), says("b"), hidden=("a1", "b1")).prepared
    job = grading.job_of(small, Submission("it.py", b""))
    assert [call.case for call in job.calls] == ["a2", "b2", "a1", "b1"]
    assert job.entry_point == "double"
    assert (job.returns, job.limits) == (PAIR, small.problem.limits)


def test_reseeding_draws_other_arguments() -> None:
    drawn = {"x": {"normal": {"shape": [3], "seed": 7}}}
    problem = problem_of(says("a"), arguments=drawn)
    first, again, other = (
        [call.arguments[0].tolist() for call in grading.build_calls(problem, *reseed)]
        for reseed in ((), (0,), (1,))
    )
    assert first == again
    assert first[0] == first[1] != other[0]
    assert [call.case for call in grading.build_calls(problem)] == ["a1", "a2"]
    assert {call.requirement for call in grading.build_calls(problem)} == {"a"}
    small = grading.prepare(problem, right, 1)
    assert small.calls[0].arguments[0].tolist() == other[0]
    assert (
        grading.report(small, Run({}, Refusal("a", Failure("b"))), "r", InProcessRunner()).reseed
        == 1
    )
    plain = grading.prepare(problem, right)
    assert (plain.calls[0].arguments[0].tolist(), plain.reseed) == (first[0], 0)


def test_judge_alone_takes_case_results_from_the_given_function() -> None:
    small = small_problem(says("a"), SHAPES).prepared
    asked: list[tuple[str, str, bool]] = []

    def remembering(*asking: Any) -> CaseResult:
        _, requirement, case, execution, structure_is_right = asking
        asked.append((requirement.id, case.id, structure_is_right))
        return CaseResult(case, Verdict.FAILED, execution)

    run = SmallProblem(small).run()
    results = grading.judge_alone(small, run.executions, remembering)
    assert {r.verdict for r in results.values()} == {Verdict.FAILED}
    assert asked == [
        ("shapes", "shapes1", True),
        ("shapes", "shapes2", True),
        ("a", "a1", False),
        ("a", "a2", False),
    ]


def test_judge_alone_ignores_needs() -> None:
    small = small_problem(says("a"), says("b", "a"))
    run = small.run(a1=wrong, b1=wrong)
    results = grading.judge_alone(small.prepared, run.executions)
    assert {id: str(r.verdict) for id, r in results.items()} == {"a": "failed", "b": "failed"}


def test_diagnose_gets_run_and_results_and_its_diagnosis_joins_the_requirement() -> None:
    small = small_problem(says("a"), says("b"))
    run = small.run(b1=wrong)
    named = Diagnosis("off", "You add something.")

    def diagnose(ran: Run, results: tuple[RequirementResult, ...]) -> dict[str, Diagnosis]:
        assert ran.executions == run.executions
        assert [str(r.verdict) for r in results] == ["passed", "failed"]
        return {"b": named}

    first, second = small.report(run, diagnose).requirements
    assert (first.diagnosis, second.diagnosis) == (None, named)
    assert [r.diagnosis for r in small.report(run).requirements] == [None, None]


def test_patterns_are_found_only_in_failed_requirements() -> None:
    small = small_problem(says("a"), says("b", "a"))
    run = small.run(a1=lambda x: (6 * x, x.sum()), b1=wrong)
    told = small.results(run)
    mismatch = told["a"].cases[0].mismatch
    assert mismatch is not None
    assert mismatch.facts["patterns"] == [{"pattern": "factor", "factor": 3.0}]
    assert told["a"].cases[1].mismatch is None
    assert told["b"].cases[0].mismatch is None


def test_patterns_are_found_with_the_tolerance_of_the_case() -> None:
    wide = Tolerance(0.0, 1.0)
    small = small_problem(says("a"), cases=1, tolerances={"a1": wide})
    run = small.run(a1=lambda x: (6 * x + [0, 0.1, 0], x.sum()))
    mismatch = small.results(run)["a"].cases[0].mismatch
    assert mismatch is not None
    assert mismatch.facts["patterns"][0]["pattern"] == "factor"


# --- notes ----------------------------------------------------------------------------------------


def noted(small: SmallProblem, **texts: tuple[str, ...]) -> list[str]:
    """Return the notes of a report on a run whose calls warned with these texts, by case id."""
    run = small.run()
    executions = {
        id: replace(run.executions[id], warnings=tuple(Warned("W", text) for text in given))
        for id, given in texts.items()
    }
    return explain.report_notes(small.report(instead(run, **executions)))


def test_a_repeated_note_is_listed_once_with_its_number_of_cases() -> None:
    small = small_problem(says("a"))
    assert noted(small, a1=("slow", "slow"), a2=("slow", "odd")) == [
        "W: slow (in 2 cases)",
        "W: odd",
    ]


def test_a_note_names_a_changed_argument_and_keeps_warnings_unchanged() -> None:
    small = small_problem(says("a"))
    run = small.run()
    warned = (Warned("argument 1", "argument 2"),)
    call = replace(run.executions["a1"], changed=(0,), warnings=warned)
    result = small.results(instead(run, a1=call))["a"].cases[0]
    assert explain.notes(result) == [
        "argument 1: argument 2",
        "argument x was changed in place",
    ]


def test_notes_of_hidden_cases_are_left_out() -> None:
    small = small_problem(says("a"), hidden=("a1",))
    assert noted(small, a1=("secret", "slow"), a2=("slow",)) == ["W: slow"]


def test_more_than_eight_notes_are_counted() -> None:
    small = small_problem(says("a"))
    texts = tuple(f"note {n}" for n in range(10))
    told = [f"W: {text}" for text in texts]
    assert noted(small, a1=texts[:8]) == told[:8]
    assert noted(small, a1=texts) == [*told[:8], "and 2 more notes"]
    assert noted(small, a1=texts[:9]) == [*told[:8], "and 1 more notes"]


def test_warnings_while_loading_come_first() -> None:
    small = small_problem(says("a"))
    run = replace(small.run(), warnings=(DRY,))
    call = replace(run.executions["a1"], warnings=(Warned("W", "a call"),))
    notes = explain.report_notes(small.report(instead(run, a1=call)))
    assert notes == ["UserWarning: the moat is dry", "W: a call"]


# --- the reference --------------------------------------------------------------------------------


def fault_of(reference: Any, returns: Returns = PAIR, cases: int = 1) -> AuthorError:
    """Return the error about a reference."""
    with pytest.raises(AuthorError) as caught:
        small_problem(says("a"), reference=reference, returns=returns, cases=cases)
    return caught.value


DTYPE = Returns("single", (ReturnedValue("twice", ("row",), "float64"),))


@pytest.mark.parametrize(
    ("reference", "returns", "told"),
    [
        (raising, PAIR, "raises ValueError: no"),
        (bare, PAIR, "returns a numpy.ndarray, not a tuple (twice, total) as 'returns' promises"),
        (
            lambda x: (x, x, x),
            PAIR,
            "returns a tuple, not a tuple (twice, total) as 'returns' promises",
        ),
        (lambda x: [2 * x, x.sum()], PAIR, "returns a list, not a tuple (twice, total) as"),
        (right, ROW, "returns a tuple, not one array (twice) as 'returns' promises"),
        (lambda x: {"twice": x}, ROW, "returns a dict, not one array (twice)"),
        (lambda x: None, ROW, "returns no array as 'twice', but None: is a return missing?"),
        (lambda x: (x, "1"), PAIR, "returns no array as 'total', but "),
        (lambda x: x[None], ROW, "returns 'twice' with shape (1, 3), not (row)"),
        (lambda x: (x, x), PAIR, "returns 'total' with shape (3,), not ()"),
        (
            lambda x: x * np.nan,
            ROW,
            "returns NaN in 'twice'; choose inputs with a defined result",
        ),
        (lambda x: x * np.inf, ROW, "returns infinity in 'twice'; choose inputs"),
        (
            lambda x: np.array([1.0, np.inf, np.nan]),
            ROW,
            "returns NaN in 'twice'",
        ),
        (lambda x: np.float32(x), DTYPE, "returns 'twice' as float32, not float64"),
        (right, NAMED, "does not return a dictionary of the promised names"),
        (lambda x: {"twice": x}, NAMED, "does not return a dictionary of the promised names"),
        (
            lambda x: {"twice": x, "total": x[0], "more": x},
            NAMED,
            "does not return a dictionary of the promised names",
        ),
        (lambda x: {"total": x, "twice": x}, NAMED, "returns 'total' with shape (3,), not ()"),
    ],
)
def test_a_reference_that_breaks_its_promise_is_an_author_error(
    reference: Any, returns: Returns, told: str
) -> None:
    (complaint,) = fault_of(reference, returns).complaints
    assert complaint.message.startswith(f"case 'a1': the reference {told}")
    assert str(complaint.location) == "a.yaml:3:5"


def test_a_wrong_shape_of_the_reference_is_reported_with_all_axes() -> None:
    table = Returns("single", (ReturnedValue("table", ("row", "column")),))
    (complaint,) = fault_of(lambda x: x, table).complaints
    assert complaint.message.endswith("returns 'table' with shape (3,), not (row, column)")


def test_a_reference_of_the_promised_element_type_is_accepted() -> None:
    small = small_problem(says("a"), reference=lambda x: 2 * x, returns=DTYPE)
    assert expected_values(small) == [[2.0, 3.0, 7.0]]


def test_the_advice_shows_the_innermost_line_where_the_reference_raised() -> None:
    (complaint,) = fault_of(raising).complaints
    assert complaint.advice.startswith("See small_problem.py, line ")
    assert complaint.advice.endswith(': raise ValueError("no")')
    (silent,) = fault_of(lambda x: None, ROW).complaints
    assert silent.advice == ""


def test_all_faulty_cases_of_the_reference_are_reported_together() -> None:
    def sometimes(x: Any) -> Any:
        return right(x) if x[0] == 11 else x * np.nan

    error = fault_of(sometimes, cases=3)
    assert [str(c.location) for c in error.complaints] == ["a.yaml:3:5", "a.yaml:9:5"]


def test_a_dictionary_of_the_reference_is_read_by_name() -> None:
    small = small_problem(
        says("a"), returns=NAMED, reference=lambda x: {"total": x.sum(), "twice": 2 * x}
    )
    assert expected_values(small) == [[2.0, 3.0, 7.0], 6.0]
    answer = small.prepared.expected["a1"].answer
    assert answer is not None
    assert (answer.container, answer.names) == ("dictionary", ("twice", "total"))


def expected_values(small: SmallProblem) -> list[Any]:
    """Return the reference's values on the first case, as plain data."""
    execution = small.prepared.expected["a1"]
    assert execution.outcome is Outcome.RETURNED
    assert execution.answer is not None
    return [compare.array_of(value).tolist() for value in execution.answer.values]
