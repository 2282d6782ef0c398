"""The workflows of `.github`, and the release script that they run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import REPOSITORY

import grader

WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))


def values(node: Any, key: str) -> Iterator[str]:
    """Yield every value of a key, at any depth."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key:
                yield value
            yield from values(value, key)
    elif isinstance(node, list):
        for item in node:
            yield from values(item, key)


def test_the_workflows_are_grade_release_and_test() -> None:
    assert [path.stem for path in WORKFLOWS] == ["grade", "release", "test"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_every_action_is_pinned_by_commit_with_its_version_in_a_comment(path: Path) -> None:
    text = path.read_text("utf-8")
    used = list(values(yaml.safe_load(text), "uses"))
    assert used
    assert [name for name in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name)] == []
    assert len(re.findall(r"@[0-9a-f]{40} # v\d+\.\d+\.\d+$", text, re.MULTILINE)) == len(used)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_have_read_permission_and_no_foreign_text_in_scripts(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    for script in values(workflow["jobs"], "run"):
        assert "${{" not in script, "a script must not contain text from outside"


def test_dependabot_updates_actions_and_packages() -> None:
    settings = yaml.safe_load((REPOSITORY / ".github/dependabot.yml").read_text("utf-8"))
    ecosystems = {update["package-ecosystem"] for update in settings["updates"]}
    assert ecosystems == {"github-actions", "pip"}


@pytest.mark.skipif(sys.platform != "linux", reason="releases are built on Linux")
def test_a_release_tag_of_another_version_is_refused_before_the_build(tmp_path: Path) -> None:
    (tmp_path / "python").symlink_to(sys.executable)
    ran = subprocess.run(
        ["bash", REPOSITORY / ".ci" / "build-release", "v99.0.0"],
        env=os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    said = f"the tag is v99.0.0, but grader.__version__ says v{grader.__version__}"
    assert said in ran.stderr
    assert ran.stdout == ""
