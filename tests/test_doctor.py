"""`grader doctor` tells what confines learner code on this machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import accounts
import pytest
from conftest import Ran, run_in

from grader.errors import UsageError
from grader.runners import reach

if sys.platform != "linux":
    pytest.skip("the sandbox needs Linux", allow_module_level=True)

try:
    REACHED, _ = reach("zygote", require_isolation=True)
except UsageError as missing:
    pytest.skip(str(missing), allow_module_level=True)

REFUSING = Path(__file__).with_name("refusing.py")


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    ran = run_in(tmp_path_factory.mktemp("no-course"), "doctor", "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, object] = json.loads(ran.out)
    return found


def test_the_json_has_versions_runner_layers_and_attempts(facts: dict[str, object]) -> None:
    assert facts["version"] == 1
    assert facts["python"] == sys.version.split()[0]
    assert facts["runner"] == "zygote"
    assert facts["confines"] is True
    assert facts["isolation"] == list(REACHED.layers)
    attempts = facts["attempts"]
    assert isinstance(attempts, list)
    assert {"layer": "landlock", "name": "read_file", "result": "refused"}.items() <= next(
        one.items() for one in attempts if one["name"] == "read_file"
    )
    assert {one["result"] for one in attempts} <= {"refused", "holds", "no proof", "not tried"}


@pytest.mark.parametrize("columns", [40, 80])
def test_the_findings_are_readable_without_colour_at_any_width(
    tmp_path: Path, columns: int
) -> None:
    ran = run_in(tmp_path, "doctor", columns=columns, NO_COLOR="1")
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert max(map(len, ran.out.splitlines())) <= columns
    assert "runner: zygote" in ran.out
    assert "refused   read_file" in ran.out
    assert ran.out.isascii()


def refused(*calls: str) -> Ran:
    python = accounts.python_of_nobody()
    command = [*python, str(REFUSING), *calls, "--", python[-1], "-m", "grader", "doctor"]
    done = subprocess.run(
        command, cwd="/", env=accounts.environment(), capture_output=True, text=True, timeout=120
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def test_without_landlock_only_process_can_be_had_and_the_exit_code_is_1() -> None:
    ran = refused("landlock_create_ruleset=38")
    assert ran.code == 1, ran
    assert "runner: process" in ran.out
    assert "missing landlock" in " ".join(ran.out.split())
    assert "ALLOWED" not in ran.out.partition("tried: landlock")[0]
