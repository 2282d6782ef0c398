"""Destinations of reports: files are written atomically, and the terminal always gets a report."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, run_in, write_files

from formats import runner_log
from formats.checkers import github, markdown
from grader import formats
from grader.catalog import Course
from grader.errors import UsageError
from grader.files import append, replacing, write
from grader.model import Report
from grader.pipeline import ProblemGrader
from grader.runners import choose

EVIL = """\
import sys
import numpy as np

def project(X, W, bias=None):
    print("::error file=cases/x.yaml::forged")
    print("  ::set-env name=PATH::/evil")
    print("##[add-path]/evil")
    print("::stop-commands::mine")
    sys.stderr.write("::notice title=Autograding complete::Points 9/9\\n")
    return np.zeros((len(X), len(W[0]))) if bias is None else [][3]
"""


def grade(root: Path, *argv: str, **environment: Any) -> tuple[int, str, str]:
    ran = run_in(root, "grade", *argv, **environment)
    return ran.code, ran.out, ran.err


def report_of(root: Path) -> list[Report]:
    course = Course(root)
    runner, _ = choose()
    with runner:
        grader = ProblemGrader(course, "projection")
        return [grader.grade(course.solution("projection"), runner)]


@pytest.fixture
def evil_course(small_course: Path) -> Path:
    """The small course; its solution prints workflow commands and meets 1 of 3 requirements."""
    (small_course / "solutions" / "projection.py").write_text(EVIL)
    return small_course


# --- files ------------------------------------------------------------------------------------


def test_every_format_is_written_beside_the_terminal_report(small_course: Path) -> None:
    outputs = [f"--output={name}=out/{name}.txt" for name in formats.FORMATS]
    (small_course / "out").mkdir()
    code, out, err = grade(small_course, *outputs)
    assert (code, err) == (1, "")
    assert "Not started" in out
    assert sorted(p.stem for p in (small_course / "out").iterdir()) == sorted(formats.FORMATS)
    assert all(p.read_text("utf-8") for p in (small_course / "out").iterdir())


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("nowhere/x.json", "No such file or directory"),
        ("/dev/full", "No space left on device"),
        ("problems", "Is a directory"),
        ("solutions/projection.py/x.json", "Not a directory"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="paths and messages of POSIX")
def test_an_unwritable_output_exits_2_with_its_path_and_prints_the_report(
    small_course: Path, path: str, reason: str
) -> None:
    code, out, err = grade(small_course, "--output", f"json={path}", "--output", "junit=ok.xml")
    assert code == 2
    assert str(small_course / path) in err
    assert reason in err
    assert "Traceback" not in err
    assert "Not started: 0 of 3 points." in out
    assert (small_course / "ok.xml").is_file(), "the other files are written all the same"


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_the_error_for_a_read_only_folder_names_the_path() -> None:
    script = (
        "import os, sys\n"
        "from grader.files import write\n"
        "from grader.errors import UsageError\n"
        "from pathlib import Path\n"
        "os.geteuid() or os.setuid(65534)  # root may write everywhere\n"
        "try: write(Path(sys.argv[1]), 'x')\n"
        "except UsageError as error: print(error)"
    )
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        ran = subprocess.run(
            [sys.executable, "-c", script, f"{folder}/x.json"],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=True,
        )
    assert ran.stdout == f"cannot write {folder}/x.json: Permission denied\n"


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full")
def test_a_full_disk_behind_standard_output_exits_2(small_course: Path) -> None:
    output = ["--output", f"json={small_course / 'x.json'}"]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "grader", "grade", "--root", small_course, *output],
            cwd=REPOSITORY,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ran.returncode == 2
    assert ran.stderr == "cannot write standard output: No space left on device\n"
    assert json.loads((small_course / "x.json").read_text())["version"] == 1


def test_a_failed_write_keeps_the_old_content_and_leaves_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_text("before")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(UsageError, match=re.escape(f"cannot write {path}: full")):
        write(path, "after")
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["report.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")
def test_write_keeps_file_mode_and_links(tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        write(tmp_path / "new", "x")
        (tmp_path / "old").write_text("x")
        (tmp_path / "old").chmod(0o640)
        write(tmp_path / "old", "y")
        (tmp_path / "link").symlink_to("target")
        write(tmp_path / "link", "z")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o640
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "z"


def test_replacing_keeps_the_old_content_when_the_block_raises(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("before")

    def write_half() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise RuntimeError("a row")

    with pytest.raises(RuntimeError, match="a row"):
        write_half()
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["grades.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_write_replaces_a_link_with_follow_link_false(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("before")
    (tmp_path / "link").symlink_to("target")
    write(tmp_path / "link", "after", follow_link=False)
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_text() == "after"
    assert (tmp_path / "target").read_text() == "before"


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
@pytest.mark.parametrize(
    "argv",
    [
        ["grade", "--output", "json=link"],
        ["batch", "class", "--output", "json=link"],
        ["batch", "class", "--output", "csv=link"],
    ],
    ids=["grade", "batch", "batch csv"],
)
def test_output_replaces_a_link_and_leaves_its_target(argv: list[str], small_course: Path) -> None:
    write_files(small_course, {"class/ada.py": "x = 1\n", "target": "before"})
    for name in ("link", "loop"):
        (small_course / name).symlink_to({"link": "target", "loop": "loop"}[name])
    ran = run_in(small_course, *argv)
    assert ran.code == 1, ran.err
    assert (small_course / "target").read_text() == "before"
    assert not (small_course / "link").is_symlink()
    assert (small_course / "link").stat().st_size > 0
    ran = run_in(small_course, *[word.replace("=link", "=loop") for word in argv])
    assert ran.code == 1, ran.err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="streams of POSIX")
def test_output_is_written_to_streams_in_place(small_course: Path) -> None:
    os.mkfifo(small_course / "pipe")
    with subprocess.Popen(["cat", small_course / "pipe"], stdout=subprocess.PIPE) as reader:
        ran = run_in(small_course, "grade", "--output", "json=pipe")
        assert reader.stdout
        assert json.loads(reader.stdout.read())["version"] == 1
    assert ran.code == 1
    command = [sys.executable, "-m", "grader", "grade", "--root", str(small_course)]
    piped = subprocess.run(
        [*command, "--format", "markdown", "--output", "json=/dev/stdout"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert piped.returncode == 1, piped.stderr
    assert '"version": 1' in piped.stdout
    assert Path("/dev/stdout").is_symlink()


def test_append_keeps_existing_content(tmp_path: Path) -> None:
    append(tmp_path / "summary.md", "one\n")
    append(tmp_path / "summary.md", "two\n")
    assert (tmp_path / "summary.md").read_text() == "one\ntwo\n"


@pytest.mark.parametrize(
    ("outputs", "says"),
    [
        (["json"], "write NAME=PATH"),
        (["json="], "write NAME=PATH"),
        (["jsn=x"], "Did you mean 'json'?"),
        (["json=x", "junit=x"], "two formats for one path, x"),
    ],
)
def test_an_invalid_output_option_is_refused_before_grading(
    small_course: Path, outputs: list[str], says: str
) -> None:
    code, out, err = grade(small_course, *(f"--output={text}" for text in outputs))
    assert (code, out) == (2, "")
    assert says in err


# --- GitHub Actions ---------------------------------------------------------------------------


def test_the_github_format_is_added_automatically_in_github_actions(
    evil_course: Path, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n")
    code, out, err = grade(evil_course, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert (code, err) == (1, "")
    assert "1 of 3 requirements are met" in out
    assert github(out, report_of(evil_course)) == []
    assert summary.read_text().startswith("# before\n### A projection with a bias\n")
    assert markdown(summary.read_text().removeprefix("# before\n"), report_of(evil_course)) == []


def test_printed_workflow_commands_are_not_executed_in_github_actions(evil_course: Path) -> None:
    _, out, _ = grade(evil_course, GITHUB_ACTIONS="true")
    assert "##[add-path]/evil" in out, "it is shown"
    executed = runner_log.commands(out)
    assert [c.name for c in executed] == ["stop-commands", "error", "error"]
    assert [c.properties["title"] for c in executed[1:]] == ["product", "product"]
    assert not runner_log.is_open(out)


def test_printed_workflow_commands_would_be_executed_without_the_fence(evil_course: Path) -> None:
    _, out, _ = grade(evil_course)
    assert "stop-commands" not in [c.name for c in runner_log.commands(out)][:1]
    assert "add-path" in [c.name for c in runner_log.commands(out)]


def test_the_token_of_the_fence_differs_in_each_run(evil_course: Path) -> None:
    first, second = (grade(evil_course, GITHUB_ACTIONS="true")[1].split("\n")[0] for _ in "ab")
    assert re.fullmatch("::stop-commands::[0-9a-f]{32}", first)
    assert first != second


@pytest.mark.parametrize("format_", ["terminal", "json", "markdown"])
def test_an_explicit_format_turns_off_annotations(small_course: Path, format_: str) -> None:
    _, out, _ = grade(small_course, "--format", format_, GITHUB_ACTIONS="true")
    assert "::error" not in out


def test_there_are_no_annotations_outside_github_actions(
    small_course: Path, tmp_path: Path
) -> None:
    summary = tmp_path / "summary.md"
    _, out, _ = grade(small_course, GITHUB_STEP_SUMMARY=str(summary))
    assert "::" not in out
    assert not summary.exists()


def test_an_annotation_names_the_learners_file_and_line(small_course: Path) -> None:
    (small_course / "solutions" / "projection.py").write_text(
        "def project(X, W, bias=None):\n    if bias is not None:\n        return [][3]\n"
        "    return X @ W\n"
    )
    _, out, _ = grade(small_course, "--format", "github")
    [command] = runner_log.commands(out)
    assert command.properties == {
        "file": "solutions/projection.py",
        "line": "3",
        "title": "bias",
    }
    assert "IndexError: list index out of range" in command.data


def test_an_annotation_names_the_file_relative_to_the_repository(small_course: Path) -> None:
    workspace = str(small_course.parent)
    _, out, _ = grade(small_course, "--format", "github", GITHUB_WORKSPACE=workspace)
    [command] = runner_log.commands(out)
    assert command.properties["file"] == "course/solutions/projection.py"


def test_a_summary_and_earlier_content_stay_below_1_mib(evil_course: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    for used in (0, 1024 * 1024 - 700, 1024 * 1024 - 1, 1024 * 1024 + 5):
        summary.write_text("x" * used)
        code, _, _ = grade(evil_course, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
        assert code == 1
        assert summary.stat().st_size < max(1024 * 1024, used + 1)


@pytest.mark.skipif(sys.platform == "win32", reason="a message of POSIX")
def test_an_unwritable_summary_exits_2_and_prints_the_report(small_course: Path) -> None:
    code, out, err = grade(
        small_course, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(small_course / "no" / "s.md")
    )
    assert code == 2
    assert "no/s.md: No such file or directory" in err
    assert "Not started: 0 of 3 points." in out


def test_at_most_ten_errors_are_annotated_and_the_rest_are_counted(
    tmp_path: Path, small_course: Path
) -> None:
    folder = small_course / "solutions"
    for number in range(6):
        (folder / f"a{number}.py").write_text(
            "def project(X, W, bias=None):\n    return X @ W * 2 - (0 if bias is None else 1)\n"
        )
    names = [f"solutions/a{number}.py" for number in range(6)]
    _, out, _ = grade(small_course, *names, "--format", "github")
    commands = runner_log.commands(out)
    assert len(commands) == 10
    assert [c.properties["file"] for c in commands[:6]] == names
    assert out.endswith("\n2 more errors are not annotated.\n")
