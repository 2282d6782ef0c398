"""A class given out: a CSV table (RFC 4180) and a folder with a report for each learner."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import TextIO

from grader import files, formats
from grader.batch.database import ClassRow, Database
from grader.batch.summary import WAITING
from grader.formats.json import points
from grader.model import Report
from grader.text import clean

_ENDINGS = {
    "json": ".json",
    "gradescope": ".json",
    "classroom": ".json",
    "junit": ".xml",
    "markdown": ".md",
}
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""names that Windows gives to devices"""
_HASHED = re.compile(r"-[0-9a-f]{8}$")
_MOST = 80
"""characters, so that a name fits with its ending in the 255 bytes of usual file systems, in any
script whose characters take at most 3 bytes in UTF-8"""


def file_names(learners: Iterable[str]) -> dict[str, str]:
    """Return a file name without ending for each learner.

    Letters and digits of any script, space, `-`, `_`, `.`, `@` and `+` stay, others become `_`.
    A name that was changed, or is the same as another's but for its case, gets a few digits of
    its hash: so a learner's file has one name, whoever else is there.
    """
    wanted = {learner: _plain(learner) for learner in learners}
    taken: dict[str, int] = {}
    for name in wanted.values():
        taken[name.casefold()] = taken.get(name.casefold(), 0) + 1
    return {
        learner: name
        if name == learner and taken[name.casefold()] == 1 and not _HASHED.search(name)
        else f"{name}-{_hash(learner)}"
        for learner, name in wanted.items()
    }


def write_reports(
    database: Database, problems: Sequence[str], name: str, folder: Path, *, reveal: bool
) -> int:
    """Write a report in the format `name` for each learner with a result; return how many.

    Each file appears whole, or stays as it was. Raises UsageError when one cannot be written.
    """
    ending = _ENDINGS.get(name, ".txt")
    names = file_names({row.learner for row in database.rows(problems)})
    count = 0
    files.make_folder(folder)
    for learner, rows in groupby(database.rows(problems), key=lambda row: row.learner):
        found = list(reports(database, rows, reveal=reveal))
        if found:
            text = formats.render(name, found)
            files.write(folder / f"{names[learner]}{ending}", text, follow_link=False)
            count += 1
    return count


def reports(database: Database, rows: Iterable[ClassRow], *, reveal: bool) -> Iterator[Report]:
    """Yield the report of each row that has one, under the name of the learner's own file."""
    for row in rows:
        report = database.report(row, reveal=reveal)
        if report is not None:
            yield replace(report, submission=row.file)


def _plain(learner: str) -> str:
    text = unicodedata.normalize("NFC", learner)
    kept = "".join(
        c if c.isalnum() or unicodedata.combining(c) or c in " -_.@+" else "_" for c in text
    )
    kept = kept[:_MOST].strip(" .") or "_"
    return f"_{kept}" if _RESERVED.fullmatch(kept) or kept.startswith("-") else kept


def _hash(learner: str) -> str:
    return hashlib.sha256(learner.encode("utf-8", "backslashreplace")).hexdigest()[:8]


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


def write_csv(rows: Iterable[ClassRow], file: TextIO) -> None:
    """Write a line for each learner and exercise, row by row. Open the file with `newline=""`."""
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([safe(cell) for cell in _cells(row)])


def save_csv(rows: Iterable[ClassRow], path: Path) -> None:
    """Write the CSV file, in UTF-8 with the mark by which spreadsheets know it.

    It is written whole, or the old file stays. Raises UsageError with the path.
    """
    with files.replacing(path) as file:
        text = io.TextIOWrapper(file, "utf-8-sig", "replace", newline="")
        write_csv(rows, text)
        text.detach()


def safe(cell: str | int | float) -> str | int | float:
    """Return a cell that no spreadsheet runs as a formula: text that looks like one gets a `'`."""
    if isinstance(cell, str) and cell.lstrip(" ").startswith(_FORMULA):
        return f"'{cell}"
    return cell


def _cells(row: ClassRow) -> list[str | int | float]:
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
