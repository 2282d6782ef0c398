"""Options that affect results change the key, and options print as the flags that give them."""

from __future__ import annotations

import shlex
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from conftest import run_in, write_files

from grader.batch.snapshot import take
from grader.batch.task import Task
from grader.catalog import Course
from grader.cli import parser
from grader.commands.batch import BatchOptions
from grader.commands.grade import GradeOptions
from grader.commands.watch import WatchOptions
from grader.options import GradingOptions, RunningOptions, parse
from grader.runners import Reached

GROUPS = (GradingOptions(), RunningOptions())
OTHER = {
    "cases": ("more cases",),
    "hidden": True,
    "reveal": True,
    "diagnoses": False,
    "reseed": 7,
    "runner": "process",
    "require_isolation": True,
}
"""a value of each option that is not its default"""
CHANGES_NO_RESULT = {"reveal", "require_isolation", "runner"}
"""the runner that a run reaches is part of a task instead"""
NOT_ABOUT_RESULTS = {
    GradeOptions: {"targets", "helpers", "problem", "verbose", "format", "output"},
    BatchOptions: {
        *("paths", "problem", "jobs", "dask", "database", "layout", "pattern", "skip_ambiguous"),
        *("dry_run", "export", "output", "reports"),
    },
    WatchOptions: {"slug"},
}
"""other options of a command: which files, where they are graded, what is written"""
MORE_CASES = {
    "more cases/more.yaml": """
        requirement: bias
        cases:
          - id: further
            why: One more case.
            arguments: {X: {ones: [2, 3]}, W: {eye: 3}, bias: [7.25, 2.0, 3.0]}
        """
}
EACH = [(group, field.name) for group in GROUPS for field in fields(group)]


def changed(group: Any, *names: str) -> Any:
    return replace(group, **{name: OTHER[name] for name in names})


@pytest.mark.parametrize(("group", "name"), EACH, ids=[name for _, name in EACH])
def test_an_option_that_affects_results_changes_the_key(group: Any, name: str) -> None:
    keys_differ = changed(group, name).key() != group.key()
    assert keys_differ == (name not in CHANGES_NO_RESULT)


@pytest.mark.parametrize("name", [field.name for field in fields(GradingOptions)])
def test_a_grading_option_changes_the_snapshots_key(name: str, small_course: Path) -> None:
    write_files(small_course, MORE_CASES)
    course = Course(small_course)
    options = changed(GradingOptions(), name).at(small_course)
    plain, other = take(course, "projection", GradingOptions()), take(course, "projection", options)
    assert (plain.key != other.key) == (name not in CHANGES_NO_RESULT)


def test_what_a_run_reaches_changes_the_tasks_key() -> None:
    reached = [Reached("zygote", ("a", "b")), Reached("zygote", ("a",)), Reached("process", ("a",))]
    assert len({Task("edition", "projection.py", b"", each).key for each in reached}) == 3


@pytest.mark.parametrize("command", NOT_ABOUT_RESULTS, ids=lambda command: command.__name__)
def test_every_other_option_is_listed_as_not_affecting_results(command: Any) -> None:
    names = {field.name for field in fields(command)}
    assert names - {"grading", "running"} == NOT_ABOUT_RESULTS[command]


@pytest.mark.parametrize("command", ["grade", "batch"])
@pytest.mark.parametrize("group", GROUPS, ids=lambda group: type(group).__name__)
def test_flags_parse_back_to_the_same_options(command: str, group: Any) -> None:
    names = [field.name for field in fields(group)]
    for options in (group, changed(group, *names), *(changed(group, name) for name in names)):
        parsed = parser().parse_args([command, *options.as_flags()])
        assert parse(type(group), parsed) == options


def test_the_default_options_need_no_flag() -> None:
    assert [group.as_flags() for group in GROUPS] == [[], []]


def test_the_offered_command_contains_the_typed_options(small_course: Path) -> None:
    write_files(small_course, MORE_CASES)
    typed = "--cases 'more cases' --hidden --reveal --no-diagnosis --reseed 7 --runner inprocess"
    solution = "def project(X, W, bias=None):\n    return 2 * X @ W\n"
    write_files(small_course, {"solutions/projection.py": solution})
    ran = run_in(small_course, "grade", "projection", *shlex.split(typed))
    assert f"grade projection {typed} -v" in " ".join(ran.out.split()), ran
