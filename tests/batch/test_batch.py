"""`grader batch` from end to end: real files, real processes, a real database."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import zipfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import exports
import generated
import pytest
from accounts import run_apart
from classroom import (
    REPOSITORY,
    batch,
    count,
    family,
    limited,
    outcome,
    query,
    started,
    verdicts,
    wait_for_results,
    wait_until,
)
from conftest import SMALL_COURSE, run_in

from grader.batch.grading import SLOTS, TaskGrader
from grader.batch.pool import Pool
from grader.batch.progress import Lines
from grader.batch.snapshot import Snapshot, take
from grader.batch.task import Fault, Graded, Result, Task
from grader.catalog import Course
from grader.options import GradingOptions
from grader.runners import Reached, reach

REACHED, _ = reach("process", False)
EXPECTED = {
    "right": "passed",
    "no-bias": "failed",
    "elementwise": "failed",
    "wrong-shape": "failed",
    "raises": "errored",
    "syntax-error": "errored",
    "nan": "failed",
    "complex": "failed",
    "leaves": "errored",
    "missing": "errored",
    "starter": "not_started",
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """The small course, a class of 22 graded with one job, and its database."""
    place = tmp_path_factory.mktemp("class")
    course = place / "course"
    shutil.copytree(SMALL_COURSE, course)
    learners = generated.write(place / "class", 22)
    database = place / "class.db"
    ran = batch(course, learners, "--database", database, "--jobs", "1")
    assert ran.code == 1, ran.err
    return course, learners, database


def test_each_learner_gets_the_verdict_of_their_submission(
    graded: tuple[Path, Path, Path],
) -> None:
    found = verdicts(graded[2])
    assert len(found) == 22
    for learner, verdict in found.items():
        assert verdict == EXPECTED[learner.split("-", 2)[2]]


def test_results_do_not_depend_on_the_number_of_jobs_or_the_order(
    graded: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    course, learners, database = graded
    other = tmp_path / "other.db"
    files = sorted(learners.glob("*/*.py"))
    random.Random(4).shuffle(files)
    ran = batch(course, *files, "--database", other, "--jobs", "3")
    assert ran.code == 1
    theirs = outcome(course, database)
    assert [dict(r, submission="") for r in outcome(course, other)] == [
        dict(r, submission="") for r in theirs
    ]
    assert len(theirs) == 22


def test_a_second_run_grades_nothing_and_has_the_same_results(
    graded: tuple[Path, Path, Path],
) -> None:
    course, learners, database = graded
    before = query(database, "SELECT key, run FROM results")
    ran = batch(course, learners, "--database", database)
    assert "0 to grade; 22 graded before" in ran.err
    assert query(database, "SELECT key, run FROM results") == before
    assert ran.code == 1


def test_only_a_changed_submission_is_graded_again(
    graded: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    course, learners, database = graded
    mine, theirs = tmp_path / "class", tmp_path / "class.db"
    shutil.copytree(learners, mine)
    shutil.copy(database, theirs)
    (mine / "learner-00001-no-bias" / "projection.py").write_text(generated.RIGHT)
    ran = batch(course, mine, "--database", theirs)
    assert "1 to grade; 21 graded before" in ran.err
    assert verdicts(theirs)["learner-00001-no-bias"] == "passed"


def test_changed_cases_grade_a_submission_again_and_keep_old_results(
    graded: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    _, learners, database = graded
    course, mine = tmp_path / "course", tmp_path / "class.db"
    shutil.copytree(SMALL_COURSE, course)
    shutil.copy(database, mine)
    case = course / "cases" / "projection" / "bias.yaml"
    case.write_text(case.read_text().replace("[1.0, 2.0, 3.0]", "[1.5, 2.0, 3.0]"))
    first = learners / "learner-00000-right"
    ran = batch(course, first / "projection.py", "--database", mine)
    assert "1 to grade; 0 graded before" in ran.err
    assert count(mine) == 23


def test_identical_files_are_graded_once_and_reported_under_each_learners_name(
    small_course: Path, tmp_path: Path
) -> None:
    for who in ("ada", "bob", "zoe"):
        (tmp_path / "class" / who).mkdir(parents=True)
        (tmp_path / "class" / who / "projection.py").write_text(generated.RAISES)
    database = tmp_path / "c.db"
    ran = batch(small_course, tmp_path / "class", "--database", database,
                "--reports", f"terminal={tmp_path / 'out'}")  # fmt: skip
    assert "1 to grade; 0 graded before, 2 identical to another" in ran.err
    assert count(database) == 1
    for who in ("ada", "bob", "zoe"):
        text = (tmp_path / "out" / f"{who}.txt").read_text("utf-8")
        assert f"{who}/projection.py" in text
        assert not any(other in text for other in {"ada", "bob", "zoe"} - {who})


def test_a_run_prints_a_line_per_learner_and_the_most_missed_requirements(
    graded: tuple[Path, Path, Path],
) -> None:
    course, _, database = graded
    ran = batch(course, "--export", "--database", database)
    lines = ran.out.splitlines()
    assert "✓ learner-00000-right      projection      3/3" in lines
    assert "✗ learner-00001-no-bias    projection      2/3  bias (no-bias)" in lines
    assert "· learner-00010-starter    projection  not started" in lines
    head = lines.index("A projection with a bias: 2 of 22 passed, 10 failed, 8 with errors,"
                       " 2 not started")  # fmt: skip
    tables = "\n".join(lines[head:])
    assert "2 of 20  no-bias: The bias never enters your result." in tables
    assert "2 of 20  elementwise: The operator * multiplies" in tables
    assert "of 20  product: Every row of X is multiplied by W. (" in tables


def test_export_needs_only_the_database(graded: tuple[Path, Path, Path], tmp_path: Path) -> None:
    _, _, database = graded
    ran = run_in(
        tmp_path,
        *["batch", "--export", "--database", str(database), "--output", "csv=grades.csv"],
        *["--output", "junit=all.xml", "--reports", "markdown=feedback", "--reports", "json=data"],
    )
    assert ran.code == 1, ran.err
    with (tmp_path / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = {line["learner"]: line for line in csv.DictReader(file)}
    assert len(lines) == 22
    assert lines["learner-00001-no-bias"]["points"] == "2"
    assert lines["learner-00001-no-bias"]["misconceptions"] == "no-bias"
    assert (tmp_path / "all.xml").read_text("utf-8").count("<testsuite ") == 22
    assert len(list((tmp_path / "feedback").glob("*.md"))) == 22
    one = json.loads((tmp_path / "data" / "learner-00000-right.json").read_text("utf-8"))
    assert one["reports"][0]["submission"] == "learner-00000-right/projection.py"


def test_batch_and_grade_give_the_same_reports(
    graded: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    course, learners, database = graded
    ran = run_in(
        course, "grade", *(str(p) for p in sorted(learners.glob("*/*.py"))), "--format", "json"
    )
    alone = json.loads(ran.out)["reports"]
    for report, together in zip(alone, outcome(course, database), strict=True):
        for name in ("verdict", "score", "requirements"):
            found = json.dumps(report[name]).replace(report["submission"], "")
            found = json.loads(
                found, object_hook=lambda d: d | {"seconds": 0} if "seconds" in d else d
            )
            mine = json.dumps(together[name])
            assert _plain(found) == _plain(json.loads(mine))


def _plain(value: Any) -> Any:
    """Return a report's data without timings and file names, which differ."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items() if k != "seconds"}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    if isinstance(value, str):
        return value.replace("projection.py", "").strip(", :")
    return value


@pytest.mark.parametrize("name", ["canvas", "gradescope"])
def test_a_platform_export_is_listed_by_dry_run_and_graded(
    name: str, small_course: Path, tmp_path: Path
) -> None:
    export = exports.read(name)
    archive = export.zip(tmp_path)
    ran = batch(small_course, archive, "--dry-run")
    assert ran.code == 0
    for learner, path in export.owners.items():
        assert f"  {learner}  projection: {path or 'nothing was handed in'}" in ran.out
    assert not (small_course / ".grader").exists()
    ran = batch(small_course, archive, "--output", f"csv={tmp_path / 'x.csv'}")
    assert ran.code == 1
    with (tmp_path / "x.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = {line["learner"]: line for line in csv.DictReader(file)}
    assert {who: line["file"] for who, line in lines.items()} == export.owners
    assert {line["verdict"] for line in lines.values()} == {"errored", "missing"}


def test_a_class_in_which_all_passed_exits_0(small_course: Path, tmp_path: Path) -> None:
    generated.write(tmp_path / "class", 2, ("right",))
    assert batch(small_course, tmp_path / "class").code == 0


def test_a_class_with_a_missing_submission_exits_1(small_course: Path, tmp_path: Path) -> None:
    generated.write(tmp_path / "class", 1, ("right",))
    (tmp_path / "class" / "zoe").mkdir()
    (tmp_path / "class" / "zoe" / "essay.pdf").write_text("")
    ran = batch(small_course, tmp_path / "class")
    assert ran.code == 1
    assert "- zoe                      projection  nothing was handed in" in ran.out


def test_a_module_beside_the_solution_is_imported_from_a_zip(
    small_course: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as out:
        out.writestr("ada/projection.py", "from helper import project\n")
        out.writestr("ada/helper.py", generated.RIGHT)
        out.writestr("bob/projection.py", "from helper import project\n")
    ran = batch(small_course, tmp_path / "class.zip")
    assert "✓ ada" in ran.out
    assert "✗ bob" in ran.out


def test_members_of_300_mb_in_all_leave_the_rest_of_the_class_graded(
    small_course: Path, tmp_path: Path
) -> None:
    zeros = bytes(100 * 2**20)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("projection.py", zeros)
    with zipfile.ZipFile(tmp_path / "class.zip", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("ada/projection.py", zeros)
        out.writestr("bob/projection.py", generated.RIGHT)
        out.writestr("bob/data.bin", zeros)
        out.writestr("eve/work.zip", inner.getvalue())
        out.writestr("zoe/work.zip", zeros)
    ran = batch(small_course, tmp_path / "class.zip", "--output", f"json={tmp_path / 'x.json'}")
    assert ran.code == 1, ran.err
    assert "✓ bob" in ran.out
    assert "zoe/work.zip: this ZIP is refused: it is larger than 32 MiB" in ran.out
    reports = json.loads((tmp_path / "x.json").read_text())["reports"]
    verdicts = {report["submission"]: report["verdict"] for report in reports}
    assert verdicts == {
        "ada/projection.py": "errored",
        "bob/projection.py": "passed",
        "eve/work.zip/projection.py": "errored",
    }
    refused = [report["error"]["message"] for report in reports if report["error"]]
    assert all("the file is larger than 1 MiB" in message for message in refused)


def test_a_changed_helper_makes_a_changed_submission(small_course: Path, tmp_path: Path) -> None:
    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    (folder / "projection.py").write_text("from helper import project\n")
    (folder / "helper.py").write_text(generated.RIGHT)
    (folder / "unrelated.py").write_text("1")
    assert batch(small_course, tmp_path / "class").code == 0
    (folder / "unrelated.py").write_text("2")
    assert "0 to grade" in batch(small_course, tmp_path / "class").err
    (folder / "helper.py").write_text(generated.NO_BIAS)
    assert batch(small_course, tmp_path / "class").code == 1


def test_a_task_is_graded_without_a_copy_of_its_files(small_course: Path, tmp_path: Path) -> None:
    snapshot = take(Course(small_course), "projection", GradingOptions())
    source, helpers = b"from helper import project\n", {"helper.py": generated.RIGHT.encode()}
    task_grader = TaskGrader([snapshot], REACHED, str(tmp_path))
    try:
        task = Task(snapshot.key, "projection.py", source, REACHED, helpers)
        (graded,) = results_of(task_grader, task)
        (folder,) = tmp_path.glob("grader-*")
        assert [path.name for path in folder.iterdir()] == ["0"], "more than the snapshot"
    finally:
        task_grader.close()
    assert isinstance(graded, Graded), graded
    assert graded.verdict == "passed"


def task_and_snapshot(course: Path) -> tuple[Task, Snapshot]:
    snapshot = take(Course(course), "projection", GradingOptions())
    return Task(snapshot.key, "projection.py", generated.RIGHT.encode(), REACHED), snapshot


def results_of(task_grader: TaskGrader, task: Task) -> list[Result]:
    task_grader.add(task)
    while not (ended := task_grader.step()):
        continue
    return [result for _, result in ended]


def test_a_runner_that_fails_is_replaced_and_its_task_is_graded(
    small_course: Path, tmp_path: Path
) -> None:
    task, snapshot = task_and_snapshot(small_course)
    task_grader = TaskGrader([snapshot], REACHED, str(tmp_path))
    try:
        assert task_grader._runner
        task_grader._runner.close()
        (graded,) = results_of(task_grader, task)
    finally:
        task_grader.close()
    assert isinstance(graded, Graded), graded
    assert graded.verdict == "passed"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a runner that confines")
def test_a_runner_that_fails_is_never_replaced_by_a_weaker_one(
    small_course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.child.protocol import PROC
    from grader.runners.zygote_client import Tried, ZygoteClient

    task, snapshot = task_and_snapshot(small_course)
    reached, _ = reach("auto", False)
    if reached.runner != "zygote":
        pytest.skip("the confined runner does not work here")
    task_grader = TaskGrader([snapshot], reached, str(tmp_path))
    try:
        monkeypatch.setattr(ZygoteClient, "tried", lambda _self, _timeout: Tried(PROC, 0, 0))
        task_grader._drop_runner()
        (fault,) = results_of(task_grader, task)
    finally:
        task_grader.close()
    assert isinstance(fault, Fault), fault
    assert "cannot confine here: missing landlock and seccomp" in fault.message


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a runner that confines")
@pytest.mark.parametrize("option", ["--require-isolation", "--runner=auto", "--runner=zygote"])
def test_results_of_an_unconfined_run_never_stand_for_a_confined_one(
    option: str, small_course: Path, tmp_path: Path
) -> None:
    learners = generated.write(tmp_path / "class", 2, ("right",))
    database = tmp_path / "c.db"
    batch(small_course, learners, "--database", database, "--runner", "process")
    ran = batch(small_course, learners, "--database", database, option)
    assert "2 to grade; 0 graded before" in ran.err
    ran = batch(small_course, learners, "--database", database, "--require-isolation")
    assert "0 to grade; 2 graded before" in ran.err


# --- hidden cases -------------------------------------------------------------------------------


def test_exported_reports_show_hidden_cases_only_with_reveal(
    small_course: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "more.yaml").write_text(
        "requirement: bias\ncases:\n  - id: secret-case\n    why: The secret.\n"
        "    arguments: {X: {ones: [2, 3]}, W: {eye: 3}, bias: [7.25, 2.0, 3.0]}\n"
    )
    generated.write(tmp_path / "class", 1, ("no-bias",))
    database = tmp_path / "c.db"
    batch(small_course, tmp_path / "class", "--cases", secret, "--hidden", "--database", database)
    shown: list[str | Path] = ["--export", "--database", database, "--reports"]
    batch(small_course, *shown, f"json={tmp_path / 'learner'}")
    batch(small_course, *shown, f"json={tmp_path / 'teacher'}", "--reveal")
    (learner,), (teacher,) = ((tmp_path / who).iterdir() for who in ("learner", "teacher"))
    assert "secret" not in learner.read_text("utf-8").lower()
    assert "7.25" not in learner.read_text("utf-8")
    assert "secret-case" in teacher.read_text("utf-8")


def test_everything_that_affects_a_verdict_changes_the_key(
    small_course: Path, tmp_path: Path
) -> None:
    course = Course(small_course)
    (tmp_path / "more.yaml").write_text("requirement: bias\ncases: []\n")

    def key(**options: Any) -> str:
        return take(course, "projection", GradingOptions(**options)).key

    keys = [
        key(),
        key(reseed=1),
        key(diagnoses=False),
        key(cases=(str(tmp_path),)),
        key(cases=(str(tmp_path),), hidden=True),
    ]
    (small_course / "problems" / "projection" / "reference.py").write_text(generated.RIGHT)
    keys.append(key())
    tasks = [
        Task(keys[0], "projection.py", b"1", REACHED),
        Task(keys[0], "projection.py", b"2", REACHED),
        Task(keys[0], "projection.ipynb", b"1", REACHED),
        Task(keys[0], "projection.py", b"1", REACHED, {"helper.py": b""}),
        Task(keys[0], "projection.py", b"1", Reached("inprocess", REACHED.layers)),
        Task(keys[0], "projection.py", b"1", Reached("process", REACHED.layers[:-1])),
        Task(keys[1], "projection.py", b"1", REACHED),
    ]
    assert len(set(keys)) == len(keys)
    assert len({task.key for task in tasks}) == len(tasks)


# --- submissions and processes that fail --------------------------------------------------------


no_copy_of_a_locked_file = pytest.mark.skipif(
    sys.platform == "win32", reason="a database that a run writes to cannot be copied there"
)


@pytest.fixture
def patient_course(small_course: Path) -> Path:
    """The small course with limits so large that a waiting submission is not ended."""
    return limited(small_course, 300)


def test_a_submission_that_hangs_is_one_error(small_course: Path, tmp_path: Path) -> None:
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "class" / "ada" / "projection.py").write_text(generated.HANGS)
    ran = batch(limited(small_course, 0.5), tmp_path / "class", "--database", tmp_path / "c.db")
    assert ran.code == 1
    assert verdicts(tmp_path / "c.db") == {"ada": "errored"}


@no_copy_of_a_locked_file
def test_slow_submissions_do_not_delay_others(
    patient_course: Path, tmp_path: Path, visible: Path
) -> None:
    learners = generated.write(tmp_path / "class", 6, ("right",))
    generated.write_waiting(learners, ["a-wait-0", "a-wait-1"], visible / "signal")
    database = tmp_path / "c.db"
    with started(patient_course, learners, "--database", database, "--jobs", "1") as process:
        wait_for_results(process, database, 6)
        (visible / "signal").touch()
        _, err = process.communicate()
    assert process.returncode == 0, err
    order = query(
        database,
        "SELECT learner FROM results JOIN learners ON learners.result = results.key"
        " ORDER BY results.rowid",
    )
    assert [learner[:2] for (learner,) in order[-2:]] == ["a-", "a-"]


def test_a_bad_zip_affects_only_its_learner(small_course: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as out:
        out.writestr("ada/projection.py", generated.RIGHT)
        out.writestr("bob/work.zip", b"PK nonsense")
    ran = batch(small_course, tmp_path / "class.zip")
    assert ran.code == 1
    assert "✓ ada" in ran.out
    assert "- bob                      projection  bob/work.zip: this ZIP is refused" in ran.out


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_run_killed_three_times_grades_every_submission_exactly_once(
    graded: tuple[Path, Path, Path], patient_course: Path, tmp_path: Path, visible: Path
) -> None:
    learners = generated.write(tmp_path / "class", 66)
    whole, broken = tmp_path / "whole.db", tmp_path / "broken.db"
    moments = random.Random(7)
    safe = 0
    for part in range(3):  # at most 22 more results each time, then all slots wait
        places = (f"learner-{22 * part + 21:05}-wait-{slot}" for slot in range(SLOTS))
        generated.write_waiting(learners, places, visible / f"signal-{part}")
    for part in range(3):
        with started(patient_course, learners, "--database", broken, "--jobs", "1") as process:
            wait_for_results(process, broken, safe + moments.randint(1, 18))
        assert process.returncode == -signal.SIGKILL
        assert query(broken, "PRAGMA integrity_check") == [("ok",)]
        safe = count(broken)
        (visible / f"signal-{part}").touch()
    assert 0 < safe < 66
    assert batch(patient_course, learners, "--database", broken).code == 1
    assert batch(patient_course, learners, "--database", whole).code == 1
    assert query(broken, "SELECT count(*), count(DISTINCT key) FROM results") == [(78, 78)]
    assert query(broken, "SELECT count(DISTINCT run) FROM results")[0][0] == 4
    assert outcome(patient_course, broken) == outcome(patient_course, whole)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_only_a_submission_that_kills_its_worker_is_not_graded(
    small_course: Path, tmp_path: Path
) -> None:
    folder = generated.write(tmp_path / "class", 6, ("right",))
    (folder / "a-killer").mkdir()
    (folder / "a-killer" / "projection.py").write_text(
        "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"
    )
    database = tmp_path / "c.db"
    ran = batch(small_course, folder, "--database", database, "--jobs", "2", "--runner", "process")
    assert "the worker process died 3 times while grading this" in ran.err
    assert ran.code == 3
    found = verdicts(database)
    assert found.pop("a-killer") == ""
    assert list(found.values()) == ["passed"] * 6


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files of the processes that a test starts."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    return scratch


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found through /proc")
def test_a_killed_worker_is_replaced_and_leaves_no_files(
    patient_course: Path, tmp_path: Path, scratch: Path, visible: Path
) -> None:
    learners = generated.write(tmp_path / "class", 20, ("right",))
    generated.write_waiting(learners, ["wait-0", "wait-1"], visible / "signal")
    database = tmp_path / "c.db"
    with started(patient_course, learners, "--database", database, "--jobs", "2") as process:
        wait_for_results(process, database, 20)
        first, *_ = _workers(process.pid)
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: first not in family(process.pid))
        (visible / "signal").touch()
        out, err = process.communicate()
    assert process.returncode == 0, err
    assert out.count("✓") == 22
    assert list(scratch.iterdir()) == []


def _workers(parent: int) -> list[int]:
    """Return the worker processes of a run."""
    return [pid for pid, line in _commands(family(parent)).items() if b"spawn_main" in line]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found through /proc")
def test_a_worker_killed_while_it_starts_is_replaced(small_course: Path, tmp_path: Path) -> None:
    # Larger than the buffer of a pipe: the process that starts must not be waited for to read it.
    (small_course / "problems" / "projection" / "table.txt").write_text("1.0\n" * 500_000)
    learners = generated.write(tmp_path / "class", 3, ("right",))
    database = tmp_path / "c.db"
    with started(small_course, learners, "--database", database, "--jobs", "1") as process:
        for _ in range(2):
            wait_until(lambda: _workers(process.pid))
            (first,) = _workers(process.pid)
            os.kill(first, signal.SIGKILL)
            wait_until(lambda first=first: first not in family(process.pid))  # type: ignore[misc]
        _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert list(verdicts(database).values()) == ["passed"] * 3


def test_a_full_disk_under_the_database_exits_2_and_keeps_the_results(
    small_course: Path, tmp_path: Path
) -> None:
    learners = generated.write(tmp_path / "class", 60, ("raises",))
    disk = tmp_path / "disk"
    disk.mkdir()
    script = f"""
        mount -t tmpfs -o size=200k none {disk}
        code=0; "$@" || code=$?
        cp {disk}/c.db* {tmp_path}
        exit $code
        """
    argv: list[str | Path] = ["batch", learners, "--root", small_course, "--jobs", "1"]
    command = [sys.executable, "-m", "grader", *argv, "--database", disk / "c.db"]
    ran = run_apart(script, *command)
    assert ran.returncode == 2, ran.stderr
    assert "disk is full" in ran.stderr
    assert "The results so far are saved" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert 0 < count(tmp_path / "c.db") < 60


NO_TEMPORARY_FOLDER = """
    for place in /tmp /var/tmp /usr/tmp; do
        [ ! -d $place ] || { mount --rbind $place $place; mount -o remount,bind,ro $place; }
    done
    exec "$@"
    """


def test_doctor_says_that_it_tried_nothing_without_a_temporary_folder() -> None:
    ran = run_apart(NO_TEMPORARY_FOLDER, sys.executable, "-m", "grader", "doctor")
    assert "cannot make a temporary folder" in " ".join(ran.stdout.split())
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(("command", "runner"), [("grade", "process"), ("batch", "process"),
                                                 ("batch", "auto")])  # fmt: skip
def test_no_temporary_folder_exits_2_with_a_sentence(
    command: str, runner: str, small_course: Path, tmp_path: Path
) -> None:
    argv: list[str | Path] = [command, "--root", small_course, "--runner", runner]
    disk = tmp_path / "disk"
    disk.mkdir()
    if command == "batch":
        learners = generated.write(tmp_path / "class", 1, ("right",))
        argv += [learners, "--database", disk / "c.db"]
    mounts = f"mount -t tmpfs none {disk}\n{NO_TEMPORARY_FOLDER}"
    ran = run_apart(mounts, sys.executable, "-m", "grader", *argv)
    assert ran.returncode == 2, ran
    assert "cannot make a temporary folder" in ran.stderr
    assert "Traceback" not in ran.stderr


def test_an_audit_without_shared_memory_needs_no_other_process() -> None:
    script = 'mount --rbind /dev/shm /dev/shm; mount -o remount,bind,ro /dev/shm; exec "$@"'
    audit = ["audit", "multi_head_attention", "--reseeds", "1", "--root", str(REPOSITORY)]
    ran = run_apart(script, sys.executable, "-m", "grader", *audit)
    assert (ran.returncode, ran.stderr) == (0, ""), ran


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found through /proc")
def test_a_killed_run_leaves_no_process_and_no_file(
    patient_course: Path, tmp_path: Path, scratch: Path, visible: Path
) -> None:
    learners = generated.write(tmp_path / "class", 10, ("right",))
    generated.write_waiting(learners, ["wait-0", "wait-1"], visible / "signal")
    with started(patient_course, learners, "--database", tmp_path / "c.db", "--jobs", "2") as run:
        wait_for_results(run, tmp_path / "c.db", 10)
        everybody = family(run.pid)
        assert len(everybody) >= 5  # two workers, a zygote and a child of it for each
    wait_until(lambda: not _commands(everybody), lambda: _commands(everybody))
    wait_until(lambda: not list(scratch.iterdir()), lambda: list(scratch.rglob("*")))


def _commands(pids: list[int]) -> dict[int, bytes]:
    """Return the command lines of those processes that have not ended.

    A process that has ended, and that nobody has waited for yet, has none.
    """
    found = {}
    for pid in pids:
        with suppress(OSError):
            found[pid] = Path(f"/proc/{pid}/cmdline").read_bytes()
    return {pid: line for pid, line in found.items() if line}


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
def test_ctrl_c_exits_130_and_keeps_the_results(
    patient_course: Path, tmp_path: Path, visible: Path
) -> None:
    learners = generated.write(tmp_path / "class", 5, ("right",))
    generated.write_waiting(learners, ["wait"], visible / "signal")
    database = tmp_path / "c.db"
    with started(patient_course, learners, "--database", database) as process:
        wait_for_results(process, database, 5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert "The results so far are saved; run the same command to continue." in err
    assert "Traceback" not in err
    assert count(database) == 5


def test_a_pool_that_ends_during_start_leaves_no_traceback_and_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Pool(4, (), REACHED) as pool:
        while not pool.has_room:
            pool.results()
    assert capfd.readouterr().err == ""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is no signal there")
def test_workers_ignore_ctrl_c_while_they_start(capfd: pytest.CaptureFixture[str]) -> None:
    with Pool(1, (), REACHED) as pool:
        (worker,) = multiprocessing.active_children()
        assert worker.pid
        os.kill(worker.pid, signal.SIGINT)
        while not pool.has_room:
            pool.results()
        assert multiprocessing.active_children() == [worker]
    assert capfd.readouterr().err == ""


# --- mistakes of the user -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        ([], "no submissions given: name a folder, a ZIP or files"),
        (["nowhere"], "no file or folder"),
        (["--export"], "nothing was graded into it yet"),
        (["--export", "class"], "remove PATH and --dry-run"),
        (["class", "--problem", "projektion"], "Did you mean 'projection'?"),
        (["class", "--output", "csv"], "write NAME=PATH, for example markdown=output"),
        (["class", "--output", "cvs=x"], "unknown format 'cvs'\n    help: Did you mean 'csv'?"),
        (["class", "--reports", "csv=x"], "unknown format 'csv'"),
        (["class", "--output", "csv=x", "--output", "json=x"], "two formats for one path"),
        (["class", "--cases", "nowhere"], "--cases"),
        (["class", "--runner", "process", "--require-isolation"], "does not confine"),
        (["class", "--dask", "tcp://127.0.0.1:1"], "distributed"),
        (["class", "--database", "class"], "cannot open the database"),
    ],
)
def test_a_usage_error_exits_2_with_a_message(
    argv: list[str], says: str, small_course: Path
) -> None:
    generated.write(small_course / "class", 1, ("right",))
    if "--dask" in argv and importlib.util.find_spec("distributed"):
        pytest.skip("distributed is here")
    ran = batch(small_course, *argv)
    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_a_faulty_reference_is_reported_with_the_cases_place(
    small_course: Path, tmp_path: Path
) -> None:
    generated.write(tmp_path / "class", 1, ("right",))
    (small_course / "problems" / "projection" / "reference.py").write_text(
        "def project(X, W, bias=None):\n    return X / 0\n"
    )
    ran = batch(small_course, tmp_path / "class")
    assert ran.code == 2
    assert "cases/projection/product.yaml:3:5" in ran.err


@pytest.mark.parametrize("content", ["CREATE TABLE t (a)", "PRAGMA application_id = 1735554674"])
def test_a_foreign_database_is_refused_and_unchanged(
    content: str, small_course: Path, tmp_path: Path
) -> None:
    generated.write(tmp_path / "class", 1, ("right",))
    path = tmp_path / "c.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (a)")
    connection.execute(content)
    connection.close()
    ran = batch(small_course, tmp_path / "class", "--database", path)
    assert ran.code == 2
    assert query(path, "SELECT name FROM sqlite_schema")[0] == ("mine",)


def test_a_database_of_another_version_is_refused_and_unchanged(
    small_course: Path, tmp_path: Path
) -> None:
    learners = generated.write(tmp_path / "class", 1, ("right",))
    path = tmp_path / "c.db"
    assert batch(small_course, learners, "--database", path).code == 0
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("DROP TABLE editions; PRAGMA user_version = 1;")
    before = path.read_bytes()
    for argv in ([learners], ["--export"]):
        ran = batch(small_course, *argv, "--database", path)
        assert ran.code == 2
        assert "was written by another version of the grader" in ran.err
        assert "Traceback" not in ran.err
    assert path.read_bytes() == before


def test_a_file_that_is_not_a_database_is_refused_and_unchanged(
    small_course: Path, tmp_path: Path
) -> None:
    generated.write(tmp_path / "class", 1, ("right",))
    (tmp_path / "c.db").write_text("my notes, not a database, " * 100)
    ran = batch(small_course, tmp_path / "class", "--database", tmp_path / "c.db")
    assert ran.code == 2
    assert "cannot use the database" in ran.err
    assert (tmp_path / "c.db").read_text().startswith("my notes")


@no_copy_of_a_locked_file
def test_two_runs_cannot_write_to_one_database(
    patient_course: Path, tmp_path: Path, visible: Path
) -> None:
    learners = generated.write(tmp_path / "class", 1, ("right",))
    generated.write_waiting(learners, ["wait"], visible / "signal")
    database = tmp_path / "c.db"
    with started(patient_course, learners, "--database", database) as process:
        wait_for_results(process, database, 1)
        ran = batch(patient_course, learners, "--database", database)
        assert process.poll() is None
    assert ran.code == 2
    assert "another grader batch is writing to it" in ran.err
    assert query(database, "SELECT count(*) FROM runs") == [(1,)]


# --- progress -----------------------------------------------------------------------------------


def test_progress_is_a_bar_in_a_terminal_and_lines_elsewhere(
    small_course: Path, tmp_path: Path
) -> None:
    learners = generated.write(tmp_path / "class", 6, ("right",))
    ran = run_in(small_course, "batch", str(learners), terminal=True, TERM="xterm")
    assert "grading" in ran.err
    assert "6/6" in ran.err
    assert "/s" in ran.err
    assert "grading" not in ran.out
    ran = run_in(small_course, "batch", str(learners), "--database", str(tmp_path / "2.db"))
    assert "graded 6 of 6 (" in ran.err
    assert "\x1b" not in ran.err


def test_progress_lines_show_the_recent_rate_and_the_time_left() -> None:
    now = [0.0]
    told: list[str] = []
    lines = Lines(told.append, 100, get_time=lambda: now[0])
    for done in (0, 2, 4, 6, 16, 26, 36, 46, 100, 100):
        lines.show(done)
        now[0] += 5.0
    assert told == [
        "graded 2 of 100 (0.4/s, 4 min 05 s left)",
        "graded 4 of 100 (0.4/s, 4 min 00 s left)",
        "graded 6 of 100 (0.4/s, 3 min 55 s left)",
        "graded 16 of 100 (0.9/s, 1 min 30 s left)",
        "graded 26 of 100 (1.5/s, 50 s left)",
        "graded 36 of 100 (2.0/s, 32 s left)",
        "graded 46 of 100 (2.0/s, 27 s left)",
        "graded 100 of 100 (4.9/s)",
    ]


def test_progress_lines_show_no_rate_before_the_first_result() -> None:
    now = [0.0]
    told: list[str] = []
    lines = Lines(told.append, 2, get_time=lambda: now[0])
    now[0] = 5.0
    lines.show(0)
    now[0] = 9.0
    lines.show(2)
    assert told == ["graded 0 of 2 (...)", "graded 2 of 2 (0.2/s)"]
