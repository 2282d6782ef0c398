"""Changes of files between two checks, and of requirements between two reports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from conftest import REPOSITORY, run_in

from grader import runners
from grader.catalog import Course
from grader.pipeline import ProblemGrader
from grader.watching import FileWatch, changes

RIGHT = "def {name}(x):\n    return 2 * x\n"
WRONG = "def {name}(x):\n    return x * x\n"


def new_course(root: Path) -> Path:
    """Return a course with the exercise that `grader new` writes."""
    for folder in ("problems", "cases", "solutions"):
        (root / folder).mkdir()
    assert run_in(root, "new", "twice").code == 0
    return root


def test_a_save_is_reported_once_after_the_file_settled(tmp_path: Path) -> None:
    path = tmp_path / "solution.py"
    path.write_text("a = 1\n")
    files = FileWatch.of([path])
    assert files.changed([path]) == []
    path.write_text("a = 12\n")
    assert files.changed([path]) == [], "the first check may see a half-written file"
    assert files.changed([path]) == [path]
    assert files.changed([path]) == []


def test_a_file_replaced_by_an_editor_is_reported_after_it_reappears(tmp_path: Path) -> None:
    path = tmp_path / "solution.py"
    path.write_text("a = 1\n")
    files = FileWatch.of([path])
    path.unlink()
    assert files.changed([path]) == []
    (tmp_path / "new").write_text("a = 2\n")
    (tmp_path / "new").rename(path)
    assert files.changed([path]) == []
    assert files.changed([path]) == [path]


def test_news_lists_newly_met_and_newly_broken_requirements(tmp_path: Path) -> None:
    root = new_course(tmp_path)
    path = root / "solutions" / "twice.py"
    grader = ProblemGrader(Course(root), "twice")
    with runners.choose("inprocess")[0] as runner:
        path.write_text(RIGHT.format(name="twice"))
        right = grader.grade(path, runner)
        path.write_text(WRONG.format(name="twice"))
        wrong = grader.grade(path, runner)
    assert str(changes(None, right)) == ""
    assert str(changes(right, wrong)) == "newly broken: doubles"
    assert str(changes(wrong, right)) == "newly met: doubles"
    assert str(changes(right, right)) == ""


def save(path: Path, text: str) -> None:
    """Save a file atomically, as editors do."""
    draft = path.with_suffix(".part")
    draft.write_text(text)
    draft.replace(path)


def test_watch_prints_a_line_for_each_save_and_exits_0_on_ctrl_c(tmp_path: Path) -> None:
    root = new_course(tmp_path)
    path = root / "solutions" / "twice.py"
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "grader", "watch", "twice", "--root", str(root)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"NO_COLOR": "1", "COLUMNS": "120"},
    ) as watch:
        assert watch.stdout
        try:
            assert "twice: 0 of 2 points" in watch.stdout.readline()
            save(path, RIGHT.format(name="twice"))
            assert "2 of 2 points; newly met: returns, doubles" in watch.stdout.readline()
            save(path, "def twice(x:\n")
            assert "cannot be graded" in watch.stdout.readline()
            save(path, WRONG.format(name="twice"))
            assert "1 of 2 points; newly broken: doubles" in watch.stdout.readline()
            watch.send_signal(signal.SIGINT)
            _, errors = watch.communicate()
        finally:
            watch.kill()
    assert watch.returncode == 0
    assert "Traceback" not in errors
