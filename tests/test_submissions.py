"""Reports on learners' files, one folder for each situation.

A folder of `tests/data/submissions` contains the file (named after its exercise), the files handed
in beside it, `situation.yaml` with the required outcome, and `report.txt`: the report on a
terminal of 100 columns. To add a situation, add a folder. Golden files are rewritten by one
command, and reviewed as a diff:

    python -m pytest tests/test_submissions.py --rewrite
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from conftest import HERE, REPOSITORY, SLUGS, Golden, run_in

from grader import formats, runners
from grader.catalog import Course
from grader.dependencies import is_red
from grader.model import Report
from grader.pipeline import ProblemGrader
from grader.submission import own_helpers

FOLDERS = sorted(p.parent for p in (HERE / "data" / "submissions").glob("*/situation.yaml"))
SCHEMA = json.loads((REPOSITORY / "grader/schema/report-v1.json").read_text("utf-8"))
PYTHON = re.compile(r"Python 3\.\d+")
TIMING = re.compile(r"\b\d+(\.\d+)? ?(ms|seconds)\b")


@dataclass(frozen=True)
class Situation:
    """A file that was handed in, and the required outcome."""

    folder: Path

    @property
    def wanted(self) -> dict[str, Any]:
        """The contents of `situation.yaml`."""
        found: dict[str, Any] = yaml.safe_load(self.folder.joinpath("situation.yaml").read_text())
        return found

    @property
    def file(self) -> Path:
        """The file that was handed in."""
        (path,) = self.folder.glob(f"{self.wanted['problem']}.*")
        return path


@pytest.fixture(scope="module")
def reports() -> Iterator[dict[str, Report]]:
    """The report of every situation, by its folder's name."""
    course = Course(REPOSITORY)
    graders = {slug: ProblemGrader(course, slug) for slug in SLUGS}
    runner, _ = runners.choose()
    with runner:
        yield {
            situation.folder.name: graders[situation.wanted["problem"]].grade(
                situation.file, runner, own_helpers(situation.file)
            )
            for situation in map(Situation, FOLDERS)
        }


every_situation = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


@every_situation
def test_a_submission_gets_the_verdict_in_situation_yaml(
    folder: Path, reports: dict[str, Report]
) -> None:
    report, wanted = reports[folder.name], Situation(folder).wanted
    red = [r.requirement.id for r in report.requirements if is_red(r)]
    assert (str(report.verdict), red) == (wanted["verdict"], wanted["red"])
    assert wanted["exit"] == (0 if wanted["verdict"] == "passed" else 1)
    waiting = [r.requirement.id for r in report.requirements if r.waits_for]
    assert set(wanted.get("waits", [])) <= set(waiting)


@every_situation
def test_a_report_equals_its_golden_file_and_contains_the_required_text(
    folder: Path, reports: dict[str, Report], golden: Golden
) -> None:
    text = PYTHON.sub("Python 3.x", formats.render("terminal", [reports[folder.name]]))
    for words in Situation(folder).wanted["says"]:
        assert words in text
    assert not TIMING.search(text)
    assert "Traceback" not in text
    golden(folder / "report.txt", text)


@every_situation
def test_a_json_report_is_valid_by_the_schema(folder: Path, reports: dict[str, Report]) -> None:
    document = json.loads(formats.render("json", [reports[folder.name]]))
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


def test_golden_files_contain_nothing_specific_to_a_machine() -> None:
    for folder in FOLDERS:
        text = (folder / "report.txt").read_text("utf-8")
        assert str(REPOSITORY) not in text
        assert "/tmp" not in text
        assert all(
            len(line) <= 100 or line.startswith("  grader grade ") for line in text.splitlines()
        )


@pytest.mark.parametrize(
    "name", ["right-vectorised", "scale-by-d-model", "syntax-error", "batched-right", "starter"]
)
def test_grade_exits_with_the_code_in_situation_yaml(name: str) -> None:
    situation = Situation(HERE / "data" / "submissions" / name)
    slug = situation.wanted["problem"]
    ran = run_in(REPOSITORY, "grade", str(situation.file), "--problem", slug)
    assert (ran.code, ran.err) == (situation.wanted["exit"], "")
    # The report ends with the command for more details, which depends on this machine.
    printed = PYTHON.sub("Python 3.x", ran.out).split("Next:")[0]
    assert printed == (situation.folder / "report.txt").read_text("utf-8").split("Next:")[0]


def test_scaling_by_d_model_fails_scale_and_skips_dependent_requirements(
    reports: dict[str, Report],
) -> None:
    results = {r.requirement.id: r for r in reports["scale-by-d-model"].requirements}
    assert [id for id, r in results.items() if is_red(r)] == ["scale"]
    assert results["together"].waits_for == results["example"].waits_for == ("scale",)
