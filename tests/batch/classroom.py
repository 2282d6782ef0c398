"""Helpers for tests of whole runs: start `grader batch`, and query its database."""

from __future__ import annotations

import io
import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.cli import main

REPOSITORY = Path(__file__).resolve().parents[2]
TIMINGS = ("seconds",)
"""keys whose values may differ between two runs"""


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of one command: its exit code and what it printed."""

    code: int
    out: str
    err: str


def batch(course: Path, *argv: str | Path) -> Ran:
    """Run `grader batch` in the course's folder."""
    out, err = io.StringIO(), io.StringIO()
    code = main(["batch", *map(str, argv)], out, err, {"COLUMNS": "100"}, course)
    return Ran(code, out.getvalue(), err.getvalue())


def limited(course: Path, seconds: float) -> Path:
    """Set the small course's time limits: `seconds` for a call, twice that for a submission."""
    file = course / "problems" / "projection" / "problem.yaml"
    limits = f"limits: {{seconds: {seconds}, total_seconds: {2 * seconds}}}"
    file.write_text(file.read_text().replace("limits: {seconds: 2}", limits))
    return course


@contextmanager
def started(course: Path, *argv: str | Path) -> Iterator[subprocess.Popen[str]]:
    """Run `grader batch` in a new process; on leaving, kill it and close its pipes."""
    command = [sys.executable, "-m", "grader", "batch", "--root", str(course), *map(str, argv)]
    with subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for_results(process: subprocess.Popen[str], database: Path, number: int) -> None:
    """Wait until the database has `number` results; the run must not end before."""
    wait_until(lambda: count_now(database) >= number or process.poll() is not None)
    assert process.poll() is None, process.communicate()[1]


def wait_until(condition: Callable[[], object], state: Callable[[], object] = lambda: None) -> None:
    """Wait until the condition holds; after five minutes fail and show the `state`."""
    ends = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < ends, state()
        time.sleep(0.02)


def outcome(course: Path, database: Path) -> Any:
    """Return all reports of a database as data, without timings."""
    out = database.with_suffix(".json")
    ran = batch(course, "--export", "--database", database, "--output", f"json={out}")
    assert ran.code in (0, 1), ran.err
    return _without_timings(json.loads(out.read_text("utf-8"))["reports"])


def query(database: Path, sql: str) -> list[Any]:
    """Return the rows of a query, without the code under test."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(sql).fetchall()


def count(database: Path) -> int:
    """Return the number of results in the database, also after a killed run."""
    return int(query(database, "SELECT count(*) FROM results")[0][0])


def count_now(database: Path) -> int:
    """Return the number of results while a run locks the file: open a copy instead."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "copy.db"
        try:
            for ending in ("", "-wal"):
                shutil.copyfile(f"{database}{ending}", f"{copy}{ending}")
            return count(copy)
        except (
            OSError,
            sqlite3.Error,
        ):  # the file does not exist yet, or was copied during a write
            return 0


def verdicts(database: Path) -> dict[str, str]:
    """Return each learner's verdict, or '' without a result."""
    rows = query(
        database,
        "SELECT learner, coalesce(verdict, '') FROM learners"
        " LEFT JOIN results ON results.key = learners.result",
    )
    return dict(rows)


def _without_timings(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_timings(v) for k, v in value.items() if k not in TIMINGS}
    if isinstance(value, list):
        return [_without_timings(item) for item in value]
    return value


def family(pid: int) -> list[int]:
    """Return a process and all its descendants, from /proc."""
    found = [pid]
    for parent in found:
        with suppress(OSError):
            text = Path(f"/proc/{parent}/task/{parent}/children").read_text()
            found += [int(child) for child in text.split()]
    return found
