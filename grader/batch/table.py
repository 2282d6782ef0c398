"""The class as CSV (RFC 4180): for a spreadsheet, or for the grade import of a platform."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TextIO

from grader.batch.rows import Row
from grader.batch.summary import WAITING
from grader.errors import UsageError
from grader.formats.json import points
from grader.runners.text import clean

COLUMNS = (
    "learner",
    "id",
    "name",
    "email",
    "problem",
    "verdict",
    "points",
    "possible",
    "unmet",
    "misconceptions",
    "file",
    "note",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""what a spreadsheet takes for the start of a formula (owasp.org, CSV Injection); the last four
are the full-width forms that some locales accept"""


def write(rows: Iterable[Row], file: TextIO) -> None:
    """Write a line for each learner and exercise, row by row. Open the file with `newline=""`."""
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([safe(cell) for cell in _cells(row)])


def save(rows: Iterable[Row], path: Path) -> None:
    """Write the CSV file, in UTF-8 with the mark by which spreadsheets know it.

    It appears whole, or what was there stays. Raises UsageError with the path.
    """
    scratch = path.with_name(f".{path.name}.part")
    try:
        with scratch.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
            write(rows, file)
        scratch.replace(path)
    except OSError as error:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)
        raise UsageError(f"cannot write {path}: {error.strerror}") from None


def safe(cell: str | int | float) -> str | int | float:
    """Return a cell that no spreadsheet runs as a formula: text that looks like one gets a `'`."""
    if isinstance(cell, str) and cell.lstrip(" ").startswith(_FORMULA):
        return f"'{cell}"
    return cell


def _cells(row: Row) -> list[str | int | float]:
    unmet = [id for id, verdict, _ in row.requirements if verdict != "passed"]
    ideas = [misconception for _, _, misconception in row.requirements if misconception]
    earned: str | int | float = points(Fraction(row.earned))
    return [
        clean(row.learner),
        clean(row.id),
        clean(row.name),
        clean(row.email),
        row.problem,
        row.verdict,
        "" if row.verdict == WAITING else earned,
        points(Fraction(row.possible)) if row.result else "",
        " ".join(unmet),
        " ".join(dict.fromkeys(ideas)),
        clean(row.file),
        clean(row.note),
    ]
