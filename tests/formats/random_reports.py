"""Random reports as grading may give them, with all kinds of text that break formats."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from grader.errors import Location
from grader.model import (
    Case,
    CaseResult,
    Diagnosis,
    Execution,
    Failure,
    Frame,
    Limits,
    Mismatch,
    Outcome,
    Outlook,
    Problem,
    Reason,
    Refusal,
    Remark,
    Report,
    Requirement,
    RequirementResult,
    ReturnedValue,
    Returns,
    Tolerance,
    Verdict,
    Warned,
)

BIG = 10_000_000
"""characters of the largest output"""
_EVIL = [
    "\x00", "\x07", "\x0b", "\x0c", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x7f", "\x85",
    "\x9b", "\r", "\r\n", "\n", "\t", "\u2028", "\u202e", "\u200b", "\ufeff", "\ud800", "\udfff",
    "\ufffe", "\uffff", "\U0001f600", "\U0010ffff", "]]>", "<!--", "<![CDATA[", "&amp;", "&#0;",
    "<b>", "</pre>", "<script>alert(1)</script>", "<failure>", '"', "'", "```", "````\n", "`",
    "|", "\\|", "\\", "\n\n", "::error file=x::gotcha", "##[error]x", "##[add-mask]a",
    "\n::notice title=Autograding complete::Points 100/100", "\n  ::stop-commands::x",
    "::set-env name=A::b", "%0A", "%25", "%", ":", ",", "=", "[[ATTACHMENT|../secret.txt]]",
    "@everyone", "![x](http://e)", "[b]", "[/]", "${{ secrets.X }}", "# heading", "- item",
    "1. one", "~~~", "NaN", "Infinity", "null", "é", "日本", "יְהִי", "passed",
]  # fmt: skip
_IDS = ["scale", "softmax", "mask", "example", "returns", "a", "a_b", "b", "b_c"]


class Reports:
    """Draws reports; the same seed draws the same ones."""

    def __init__(self, seed: int, big: float = 0.003) -> None:
        self.random = random.Random(seed)
        self.big = big
        """share of cases that printed `BIG` characters"""

    def some(self) -> list[Report]:
        """Return the reports of one run: mostly one, sometimes several or very many."""
        draw = self.random.random()
        if draw < 0.7:
            count = 1
        elif draw < 0.99:
            count = self.random.randint(2, 5)
        else:
            count = self.random.randint(30, 120)
        return [self.report() for _ in range(count)]

    def report(self) -> Report:
        """Return one report whose verdicts and points agree with each other."""
        refused = self.random.random() < 0.1
        idle = not refused and self.random.random() < 0.05
        path = self.chance(0.7, lambda: "solutions/a.py", self.path)
        wrong = self.random.choice([0.0, 0.0, 0.2, 0.5, 1.0])
        results = tuple(
            self.requirement(path, refused, idle, wrong) for _ in range(self.random.randint(0, 6))
        )
        required = [r for r in results if not r.requirement.bonus]
        met = [r for r in required if r.verdict is Verdict.PASSED]
        if refused:
            verdict = Outlook.ERRORED
        elif required and len(met) == len(required):
            verdict = Outlook.PASSED
        elif idle:
            verdict = Outlook.NOT_STARTED
        else:
            errored = any(r.verdict is Verdict.ERRORED for r in required)
            verdict = Outlook.ERRORED if errored else Outlook.FAILED
        slug = self.random.choice(["alpha", "beta", "alpha_b", self.text(10) or "x"])
        return Report(
            problem=_problem(slug, self.text(40) or "Title", results),
            submission=path,
            verdict=verdict,
            earned=sum((r.requirement.points for r in met), Fraction(0)),
            possible=sum((r.requirement.points for r in required), Fraction(0)),
            requirements=results,
            refusal=self.refusal(path) if refused else None,
            warnings=tuple(self.warned() for _ in range(self.random.randint(0, 2))),
            runner="process",
            seconds=self.seconds(),
            reseed=self.random.choice([0, 0, 7]),
        )

    def requirement(self, path: str, refused: bool, idle: bool, wrong: float) -> RequirementResult:
        """Return a requirement with its cases; its verdict is the worst of the cases' verdicts."""
        bonus = self.random.random() < 0.15
        requirement = Requirement(
            id=self.id(), says=self.text(60), bonus=bonus, points=self.points()
        )
        waits = not refused and self.random.random() < 0.15 * (wrong > 0)
        cases = []
        for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 6])):
            if refused or waits:
                cases.append(self.skipped(requirement))
            elif idle:
                failure = Failure("exception", "NotImplementedError", "", self.frames(path))
                execution = Execution(Outcome.RAISED, None, failure)
                cases.append(CaseResult(self.case(requirement), Verdict.ERRORED, execution))
            else:
                cases.append(self.result(requirement, path, wrong))
        worst = max((c.verdict for c in cases), key=lambda v: v.badness, default=Verdict.SKIPPED)
        red = worst in (Verdict.FAILED, Verdict.ERRORED)
        diagnosis = Diagnosis(self.text(10), self.text(50)) if red and self.half() else None
        return RequirementResult(
            requirement, worst, tuple(cases), ("returns",) if waits else (), diagnosis
        )

    def result(self, requirement: Requirement, path: str, wrong: float) -> CaseResult:
        """Return a case that passed, failed, errored or was skipped."""
        case, output = self.case(requirement), self.output()
        seconds, warned = self.seconds(), (self.warned(),) * (self.random.random() < 0.1)
        if self.random.random() >= wrong:
            execution = Execution(Outcome.RETURNED, None, None, output, seconds, warnings=warned)
            return CaseResult(case, Verdict.PASSED, execution)
        kind = self.random.random()
        if kind < 0.1:
            return self.skipped(requirement)
        if kind < 0.6:
            execution = Execution(Outcome.RETURNED, None, None, output, seconds, warnings=warned)
            return CaseResult(case, Verdict.FAILED, execution, self.mismatch())
        failure = Failure(
            "exception",
            self.random.choice(["ValueError", "yaml", self.text(10), ""]),
            self.text(200),
            self.frames(path),
            {"missing": self.text(20)},
        )
        outcome = self.random.choice([Outcome.RAISED, Outcome.TIMED_OUT, Outcome.CRASHED])
        execution = Execution(outcome, None, failure, output, seconds, warnings=warned)
        return CaseResult(case, Verdict.ERRORED, execution)

    def skipped(self, requirement: Requirement) -> CaseResult:
        """Return a case that was not judged."""
        reason = self.random.choice(
            [None, Reason("structure", values=("output",)), Reason("waits", (self.text(30),))]
        )
        execution = Execution(Outcome.NOT_RUN)
        return CaseResult(self.case(requirement), Verdict.SKIPPED, execution, reason=reason)

    def mismatch(self) -> Mismatch:
        """Return a difference of one of the kinds."""
        numbers = [0.0, -0.0, 1.5, math.nan, math.inf, 1e308, 5e-324, 1 + 2j, 7, True]
        place: dict[str, Any] = {
            "count": 3,
            "total": self.random.choice([1, 3, 9]),
            "first": [0, 1],
            "actual": self.random.choice(numbers),
            "expected": self.random.choice([0.5, 1, 0.1 + 0.2]),
        }
        more = {
            "difference": 0.25,
            "allowed": 1e-9,
            "greatest_difference": 3.0,
            "greatest_at": self.random.choice([[0, 1], [1, 1]]),
            "patterns": [],
        }
        facts: dict[str, dict[str, Any]] = {
            "values": place | more,
            "nonfinite": place,
            "shape": {"got": [3], "expected": [1, 3]},
            "array_like": {"why_not": Remark("object", self.text(30)), "type_name": self.text(10)},
            "dtype": {"got": self.text(5), "expected": "float64", "type_name": self.text(8)},
            "names": {"missing": [self.text(8)], "extra": [self.text(8), self.text(8)]},
        }
        kind = self.random.choice(list(facts))
        return Mismatch(kind, self.text(8) or "output", ("row", "column"), facts[kind])

    def refusal(self, path: str) -> Refusal:
        """Return the reason why a file could not be run."""
        line = self.random.choice([None, 0, 1, 99])
        return Refusal(
            kind="syntax",
            failure=Failure("loading", "", self.text(60), self.frames(path)),
            line=line,
            column=self.random.choice([None, 1, 7]),
            text=self.text(30),
            output=self.output(),
        )

    def warned(self) -> Warned:
        """Return a warning that a learner worded."""
        return Warned(self.text(8), self.text(30), self.random.choice([None, 7]))

    def frames(self, path: str) -> tuple[Frame, ...]:
        """Return frames in the learner's file and in others."""
        paths = [path, "solutions/helper.py"]
        return tuple(
            Frame(self.random.choice(paths), self.random.randint(1, 99), "f", self.text(20))
            for _ in range(self.random.randint(0, 3))
        )

    def case(self, requirement: Requirement) -> Case:
        """Return a case; ids repeat at times."""
        return Case(self.id(), requirement.id, self.text(40), {}, Location("cases/a/b.yaml", 3, 5))

    def id(self) -> str:
        """Return an id, sometimes one that the loader would refuse."""
        return self.random.choice(_IDS) if self.random.random() < 0.9 else self.text(12)

    def path(self) -> str:
        """Return a path with a hostile file name."""
        return self.random.choice(["solutions/a.ipynb", "/tmp/x y.py", self.text(20) + ".py"])

    def points(self) -> Fraction:
        """Return odd weights: thirds, cents, zero, very large and very small ones."""
        return self.random.choice(
            [
                Fraction(1), Fraction(1), Fraction(2), Fraction(1, 3), Fraction(2, 3),
                Fraction(1, 7), Fraction(1, 10), Fraction(15, 100), Fraction(0), Fraction(1, 1000),
                Fraction(10**9), Fraction(123456, 1000), Fraction(5, 1000),
            ]
        )  # fmt: skip

    def seconds(self) -> float:
        """Return a duration, also unusual ones that clocks have given."""
        return self.random.choice([0.0, 1e-9, 0.25, 1.5, 1e9, -0.001])

    def output(self) -> str:
        """Return printed text, sometimes very much."""
        if self.random.random() < self.big:
            return (self.text(200) or "x").ljust(100, "x") * (BIG // 100)
        return self.text(300) if self.random.random() < 0.3 else ""

    def text(self, most: int) -> str:
        """Return text of at most `most` pieces: letters, and characters that break formats."""
        words = ["x", "value", " ", " is ", "0.5"]
        count = min(self.random.randint(0, most), 12)
        pool = _EVIL if self.random.random() < 0.5 else words
        return "".join(
            self.random.choice(pool if self.random.random() < 0.6 else words) for _ in range(count)
        )

    def half(self) -> bool:
        """Return True half of the time."""
        return self.random.random() < 0.5

    def chance(self, share: float, one: Callable[[], str], other: Callable[[], str]) -> str:
        """Return `one()` with the probability `share`, else `other()`."""
        return one() if self.random.random() < share else other()


def _problem(slug: str, title: str, results: tuple[RequirementResult, ...]) -> Problem:
    return Problem(
        slug=slug,
        title=title,
        entry_point="f",
        parameters=(),
        returns=Returns("single", (ReturnedValue("output", ("row", "column")),)),
        requirements=tuple(result.requirement for result in results),
        cases=tuple(case.case for result in results for case in result.cases),
        tolerance=Tolerance(1e-6, 1e-8),
        limits=Limits(),
        hints=(),
        folder=Path("problems") / "x",
    )
