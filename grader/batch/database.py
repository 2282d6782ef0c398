"""The results of a class in one SQLite file; each result is written in its own transaction.

Journal mode WAL, so that a process killed at any moment leaves only complete rows. A run locks the
file exclusively: two runs cannot grade the same submission twice.

    editions  one row for each state of an exercise that results refer to
    results   one row for each submission graded with an edition; never updated
    learners  each learner's file in the last run of an exercise, and the key of its result
    runs      the time at which each run began
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from grader import redaction
from grader.batch import serialise
from grader.batch.handed_in import Assigned
from grader.batch.task import Graded
from grader.errors import Complaint, UsageError
from grader.model import Problem, Report


@dataclass(frozen=True, slots=True)
class Edition:
    """One state of an exercise. `key` is the snapshot's key; results refer to it."""

    key: str
    problem_hash: str
    cases_hash: str
    grader: str
    problem: Problem


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One learner and exercise, with the result where one exists.

    `verdict` is the report's verdict, `missing` (no file to grade) or `waiting` (not graded yet).
    `earned` and `possible` are points as fractions, such as `7/2`. `requirements` holds id,
    verdict and misconception (or '') of each requirement.
    """

    learner: str
    problem: str
    id: str
    name: str
    email: str
    file: str
    note: str
    edition: str
    verdict: str
    earned: str
    possible: str
    requirements: tuple[tuple[str, str, str], ...]
    result: str | None


_APPLICATION = 0x67726472
"""`grdr` in ASCII, in the file's header (sqlite.org/pragma.html#pragma_application_id)"""
_VERSION = 2
_SCHEMA = """
CREATE TABLE editions (
    key TEXT PRIMARY KEY, slug TEXT NOT NULL, problem_hash TEXT NOT NULL,
    cases_hash TEXT NOT NULL, grader TEXT NOT NULL, problem BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE results (
    key TEXT PRIMARY KEY, edition TEXT NOT NULL REFERENCES editions, submission TEXT NOT NULL,
    verdict TEXT NOT NULL, earned TEXT NOT NULL, possible TEXT NOT NULL,
    requirements TEXT NOT NULL, report BLOB NOT NULL,
    run INTEGER NOT NULL REFERENCES runs, graded TEXT NOT NULL
);
CREATE TABLE learners (
    learner TEXT NOT NULL, problem TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL,
    email TEXT NOT NULL, file TEXT NOT NULL, note TEXT NOT NULL, result TEXT, edition TEXT NOT NULL,
    PRIMARY KEY (learner, problem)
) WITHOUT ROWID;
CREATE TABLE runs (number INTEGER PRIMARY KEY, began TEXT NOT NULL);
"""
_BUSY_SECONDS = 1.0
_Found = TypeVar("_Found")


class Database:
    """An open database.

    Raises UsageError when the file is not a grader database, is in use, or cannot be written.
    """

    def __init__(self, path: Path, *, create: bool) -> None:
        self.path = path
        self._run = 0
        self._problems: dict[str, Problem] = {}
        if not create and not path.is_file():
            raise UsageError(f"the database {path} does not exist: nothing was graded into it yet")
        try:
            if create:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, _BUSY_SECONDS, isolation_level=None)
        except (sqlite3.Error, OSError) as error:
            raise UsageError(f"cannot open the database {path}: {error}") from None
        try:
            self._prepare(create)
        except sqlite3.Error as error:
            self._connection.close()
            raise self._explained(error) from None
        except UsageError:
            self._connection.close()
            raise

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and release its lock."""
        self._connection.close()

    def begin(
        self, editions: Iterable[Edition], rows: Iterable[tuple[Assigned, str, str | None]]
    ) -> int:
        """Store the class: rows with the keys of edition and result. Return the run's number.

        The learners that earlier runs stored for the same exercises are replaced; results stay.
        """
        with self._explaining(), self._transaction():
            cursor = self._connection.execute("INSERT INTO runs (began) VALUES (?)", [_now()])
            self._run = cursor.lastrowid or 0
            for edition in editions:
                self._connection.execute(
                    "INSERT OR IGNORE INTO editions VALUES (?, ?, ?, ?, ?, ?)",
                    [
                        edition.key,
                        edition.problem.slug,
                        edition.problem_hash,
                        edition.cases_hash,
                        edition.grader,
                        serialise.pack_problem(edition.problem),
                    ],
                )
                slug = edition.problem.slug
                self._connection.execute("DELETE FROM learners WHERE problem = ?", [slug])
            self._connection.executemany(
                "INSERT INTO learners VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (_learner_row(row, edition, result) for row, edition, result in rows),
            )
        return self._run

    def keep(self, graded: Graded) -> None:
        """Store one result. Raises sqlite3.IntegrityError when its key exists."""
        with self._explaining(), self._transaction():
            self._connection.execute(
                "INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    graded.key,
                    graded.edition,
                    graded.submission_hash,
                    graded.verdict,
                    graded.earned,
                    graded.possible,
                    json.dumps(graded.requirements),
                    graded.report,
                    self._run,
                    _now(),
                ],
            )

    def known(self, keys: Iterable[str]) -> set[str]:
        """Return the keys that have a result."""
        look = "SELECT 1 FROM results WHERE key = ?"
        return {key for key in set(keys) if self._connection.execute(look, [key]).fetchone()}

    def rows(self, problems: Sequence[str] = ()) -> Iterator[ClassRow]:
        """Yield the class sorted by learner and exercise; `problems` limits it to these slugs."""
        marks = ", ".join("?" * len(problems))
        where = f"WHERE learners.problem IN ({marks})" if problems else ""
        query = f"""
            SELECT learner, learners.problem, id, name, email, file, note, learners.edition,
                   result, verdict, earned, possible, requirements
            FROM learners LEFT JOIN results ON results.key = learners.result {where}
            ORDER BY learner, learners.problem
        """  # noqa: S608 (only question marks are inserted)
        with closing(self._connection.execute(query, list(problems))) as cursor:
            for *who, edition, result, verdict, earned, possible, requirements in cursor:
                learner, problem, id, name, email, file, note = who
                yield ClassRow(
                    learner=learner,
                    problem=problem,
                    id=id,
                    name=name,
                    email=email,
                    file=file,
                    note=note,
                    edition=edition,
                    verdict=verdict or ("waiting" if result else "missing"),
                    earned=earned or "0",
                    possible=possible or "0",
                    requirements=tuple(tuple(r) for r in json.loads(requirements or "[]")),
                    result=result if verdict else None,
                )

    def problem(self, edition: str) -> Problem:
        """Return the exercise of an edition. Raises UsageError when its record is damaged."""
        if edition not in self._problems:
            query = "SELECT problem FROM editions WHERE key = ?"
            (data,) = self._connection.execute(query, [edition]).fetchone()
            self._problems[edition] = self._unpacked(serialise.unpack_problem, data)
        return self._problems[edition]

    def report(self, row: ClassRow, *, reveal: bool = False) -> Report | None:
        """Return the report of a row, or None. Raises UsageError when its record is damaged.

        The database stores the details of hidden cases; the report has them only with `reveal`.
        """
        if row.result is None:
            return None
        query = "SELECT report FROM results WHERE key = ?"
        (data,) = self._connection.execute(query, [row.result]).fetchone()
        problem = self.problem(row.edition)
        report = self._unpacked(lambda found: serialise.unpack_report(found, problem), data)
        return report if reveal else redaction.hide(report)

    def _prepare(self, create: bool) -> None:
        run = self._connection.execute
        if create:
            # The first statement takes the lock, and SQLite holds it until the connection closes.
            run("PRAGMA locking_mode = EXCLUSIVE")
            run("PRAGMA journal_mode = WAL")
            run("PRAGMA synchronous = NORMAL")
            run("BEGIN IMMEDIATE")
        (version,) = run("PRAGMA user_version").fetchone()
        (application,) = run("PRAGMA application_id").fetchone()
        (tables,) = run("SELECT count(*) FROM sqlite_schema").fetchone()
        if application != _APPLICATION and (tables or not create):
            raise UsageError(f"{self.path} is a database, but not of grader batch")
        if tables and version != _VERSION:
            message = f"{self.path} was written by another version of the grader ({version})"
            raise UsageError(Complaint(message, advice="Use another --database."))
        if create and not tables:
            run(f"PRAGMA application_id = {_APPLICATION}")
            run(f"PRAGMA user_version = {_VERSION}")
            for statement in _SCHEMA.split(";"):
                run(statement)
        if create:
            run("COMMIT")

    def _transaction(self) -> sqlite3.Connection:
        self._connection.execute("BEGIN IMMEDIATE")
        return self._connection

    @contextmanager
    def _explaining(self) -> Iterator[None]:
        """Raise UsageError when the file cannot be written, for example on a full disk."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise self._explained(error) from None

    def _explained(self, error: sqlite3.Error) -> UsageError:
        if "locked" in str(error):
            return UsageError(f"{self.path} is in use: another grader batch is writing to it")
        message = f"cannot use the database {self.path}: {error}"
        if self._run:
            advice = "The results so far are saved; run the same command again to continue."
            return UsageError(Complaint(message, advice=advice))
        return UsageError(message)

    def _unpacked(self, unpack: Callable[[bytes], _Found], data: bytes) -> _Found:
        try:
            return unpack(data)
        except serialise.BadRecordError as error:
            message = f"{self.path}: a record cannot be read ({error})"
            raise UsageError(Complaint(message, advice="Grade into a new database.")) from None


def _learner_row(row: Assigned, edition: str, result: str | None) -> list[str | None]:
    person = row.learner
    texts = [person.key, row.problem, person.id, person.name, person.email, row.path, row.note]
    # File names that the file system's encoding cannot decode contain lone surrogates.
    return [*(text.encode("utf-8", "backslashreplace").decode() for text in texts), result, edition]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
