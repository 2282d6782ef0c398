"""Export the results of a class: a CSV table (RFC 4180), a folder with a report per learner."""

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
from grader.text import clean, clean_line

_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""device names of Windows, which cannot be file names"""
_HASHED = re.compile(r"-[0-9a-f]{8}$")
_MAX_NAME = 80
"""characters; at 3 bytes of UTF-8 each, name and ending fit in the 255 bytes that common file
systems allow"""


def file_names(learners: Iterable[str]) -> dict[str, str]:
    """Return a file name without ending for each learner.

    Letters and digits of any script, space, `-`, `_`, `.`, `@` and `+` are kept; other characters
    become `_`. A name that was changed, or that equals another one when case is ignored, gets 8
    hexadecimal digits of the learner's SHA-256: so two learners never share a file name.
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
    """Write a report in the format `name` for each learner with a result; return their number.

    Each file is replaced atomically. Raises UsageError when a file cannot be written.
    """
    ending = formats.ending(name)
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
    """Yield the report of each row that has a result, with the learner's own file name."""
    for row in rows:
        report = database.report(row, reveal=reveal)
        if report is not None:
            yield replace(report, submission=clean_line(row.file))


def _plain(learner: str) -> str:
    text = unicodedata.normalize("NFC", clean(learner))
    kept = "".join(
        c if c.isalnum() or unicodedata.combining(c) or c in " -_.@+" else "_" for c in text
    )
    kept = kept[:_MAX_NAME].strip(" .") or "_"
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
"""characters that start a formula in a spreadsheet (owasp.org, CSV Injection); the last four are
full-width forms that some locales accept"""


def write_csv(rows: Iterable[ClassRow], file: TextIO) -> None:
    """Write a header and a line for each row to a file opened with `newline=""`."""
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for row in rows:
        writer.writerow([safe(cell) for cell in _cells(row)])


def save_csv(rows: Iterable[ClassRow], path: Path, *, follow_link: bool = True) -> None:
    """Write the CSV file in UTF-8 with a byte order mark, by which spreadsheets detect UTF-8.

    An existing file is replaced atomically. Raises UsageError with the path.
    """
    with files.replacing(path, follow_link=follow_link) as file:
        text = io.TextIOWrapper(file, "utf-8-sig", "replace", newline="")
        write_csv(rows, text)
        text.detach()


def safe(cell: str | int | float) -> str | int | float:
    """Return a cell that no spreadsheet runs as a formula: such text gets a `'` in front."""
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
