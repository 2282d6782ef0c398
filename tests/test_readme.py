"""The README's commands run, and its sample report is the grader's output."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from conftest import REPOSITORY, copy_shipped, run_in

README = (REPOSITORY / "README.md").read_text("utf-8")
SAMPLE = re.compile(r"<!-- sample of (\S+) -->\n```text\n(.*?)```", re.DOTALL)
COMMANDS = sorted(
    {
        match.strip()
        for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
        for match in re.findall(r"^\.venv/bin/grader ([^#\n]+)", block, re.MULTILINE)
    }
)
MAKE_TARGETS = sorted(set(re.findall(r"`?make (\w+)", README)) - {"grade"})


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the shipped course, whose solutions may be written."""
    return copy_shipped(tmp_path)


def test_the_readme_contains_commands() -> None:
    assert len(COMMANDS) >= 5


@pytest.mark.parametrize("command", [c for c in COMMANDS if not c.startswith("watch")])
def test_every_command_in_the_readme_runs(course: Path, command: str) -> None:
    (course / "my.py").write_text("def multi_head_attention(*arguments): return None\n")
    ran = run_in(course, *shlex.split(command))
    assert ran.code in (0, 1), ran.err


def test_the_sample_report_in_the_readme_equals_the_graders_output(course: Path) -> None:
    found = SAMPLE.search(README)
    assert found
    folder = REPOSITORY / found[1]
    (source,) = folder.glob("*.py")
    shutil.copy(source, course / "solutions" / "multi_head_attention.py")
    command = course / "bin" / "grader"
    command.parent.mkdir()
    command.touch(mode=0o755)
    path = str(command.parent)
    ran = run_in(course, "grade", "multi_head_attention", columns=80, PATH=path)
    assert found[2] == ran.out.replace("`grader ", "`.venv/bin/grader ")


def test_the_case_in_the_readme_is_a_case_of_the_course() -> None:
    (block,) = re.findall(r"```yaml\nrequirement: scale\ncases:\n(.*?)```", README, re.DOTALL)
    assert block in (REPOSITORY / "cases/multi_head_attention/scale.yaml").read_text("utf-8")


@pytest.mark.parametrize("target", MAKE_TARGETS)
def test_every_make_target_in_the_readme_exists(target: str) -> None:
    assert re.search(rf"^{target}:", (REPOSITORY / "Makefile").read_text(), re.MULTILINE)
