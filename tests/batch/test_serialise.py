"""Reports survive packing and unpacking: every format renders them identically."""

from __future__ import annotations

import dataclasses
import zlib
from fractions import Fraction
from pathlib import Path

import generated
import numpy as np
import pytest

from grader import formats, redaction
from grader.batch import serialise
from grader.batch.serialise import BadRecordError
from grader.catalog import Course
from grader.model import Mismatch, Report
from grader.pipeline import ProblemGrader
from grader.runners import choose


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """A report of each kind of submission, with points that are not whole numbers."""
    root = Path(__file__).parents[1] / "data" / "course"
    folder = tmp_path_factory.mktemp("kinds")
    grader = ProblemGrader(Course(root), "projection")
    found = {}
    runner, _ = choose("process")
    with runner:
        for kind, source in generated.KINDS.items():
            path = folder / f"{kind}.py"
            path.write_text(source)
            report = grader.grade(path, runner)
            found[kind] = dataclasses.replace(report, earned=Fraction(5, 3))
    return found


def _again(report: Report) -> Report:
    problem = serialise.unpack_problem(serialise.pack_problem(report.problem))
    return serialise.unpack_report(serialise.pack_report(report), problem)


@pytest.mark.parametrize("kind", generated.KINDS)
@pytest.mark.parametrize("name", formats.FORMATS)
def test_every_format_renders_an_unpacked_report_like_the_original(
    kind: str, name: str, reports: dict[str, Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda *_: "0" * 32)  # the fence of workflow commands
    report = reports[kind]
    assert formats.render(name, [_again(report)]) == formats.render(name, [report])


@pytest.mark.parametrize("kind", generated.KINDS)
def test_an_unpacked_report_hides_hidden_cases_like_the_original(
    kind: str, reports: dict[str, Report]
) -> None:
    report = reports[kind]
    cases = tuple(dataclasses.replace(case, hidden=True) for case in report.problem.cases)
    problem = dataclasses.replace(report.problem, cases=cases)
    by_id = {case.id: case for case in cases}
    results = tuple(
        dataclasses.replace(
            result,
            cases=tuple(dataclasses.replace(c, case=by_id[c.case.id]) for c in result.cases),
        )
        for result in report.requirements
    )
    hidden = dataclasses.replace(report, problem=problem, requirements=results)
    again = redaction.hide(_again(hidden))
    assert formats.render("json", [again]) == formats.render("json", [redaction.hide(hidden)])


def test_a_report_record_is_smaller_than_1500_bytes(reports: dict[str, Report]) -> None:
    assert max(len(serialise.pack_report(report)) for report in reports.values()) < 1500


def test_facts_of_every_type_survive_packing_and_unpacking(reports: dict[str, Report]) -> None:
    facts = {
        "tuple": (1, (2, 3)),
        "list": [1, [2.5]],
        "nan": float("-inf"),
        "complex": complex(1, float("inf")),
        "none": None,
        "flag": True,
        "numpy": np.float64(0.5),
        "whole": np.int64(7),
        "by number": {1: "one"},
        "!": "not a tag",
        "text": "\ud800 \x00 ü",
    }
    report = reports["right"]
    first = report.requirements[0]
    case = dataclasses.replace(first.cases[0], mismatch=Mismatch("values", facts=facts))
    results = (dataclasses.replace(first, cases=(case,)), *report.requirements[1:])
    again = _again(dataclasses.replace(report, requirements=results))
    found = again.requirements[0].cases[0].mismatch
    assert found is not None
    assert found.facts == facts
    assert type(found.facts["tuple"]) is tuple


@pytest.mark.parametrize(
    "data",
    [b"", b"x", zlib.compress(b"{"), zlib.compress(b'{"!": "eval", "": "1"}'),
     zlib.compress(b'{"!": "Report", "": {"nonsense": 1}}'), zlib.compress(b"[]")],
)  # fmt: skip
def test_bytes_that_are_not_a_report_record_are_refused(
    data: bytes, reports: dict[str, Report]
) -> None:
    with pytest.raises(BadRecordError):
        serialise.unpack_report(data, reports["right"].problem)
