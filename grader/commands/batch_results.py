"""The results of `grader batch`: the tables, the CSV file, the reports and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader import formats
from grader.batch import export, summary
from grader.batch.database import Database
from grader.batch.run import Trouble
from grader.commands import FAULT, MET, NOT_MET, TO_FIX, Context
from grader.commands.publish import Places
from grader.errors import Complaint, UsageError
from grader.files import write

_MOST_TROUBLE = 20


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files for the whole class and the folders for the reports of single learners."""

    files: Places
    folders: Places
    reveal: bool
    """whether the reports contain the details of hidden cases"""


def publish(
    database: Database,
    slugs: Sequence[str],
    trouble: Trouble,
    outputs: Outputs,
    context: Context,
) -> int:
    """Write the files, print the tables and return the exit code.

    Raises UsageError if the database has no results or a file cannot be written.
    """
    complaints = _write(database, slugs, outputs, context)
    tallies = summary.tally(database.rows(slugs), context.say)
    if not tallies:
        raise UsageError(f"{database.path} contains no results")
    for _, tally in sorted(tallies.items()):
        problem = database.problem(tally.edition)
        for line in summary.tables(problem, tally, database.report):
            context.say(line)
    context.stdout.flush()
    sentences = [*trouble.faults, *trouble.changed]
    for sentence in sentences[:_MOST_TROUBLE]:
        context.tell(summary.shown(sentence))
    if len(sentences) > _MOST_TROUBLE:
        context.tell(f"... and {len(sentences) - _MOST_TROUBLE} more that could not be graded")
    if complaints:
        raise UsageError(*complaints)
    if trouble.faults:
        context.tell("These are faults of the grader. The next run tries them again.")
        return FAULT
    if trouble.changed:
        context.tell("Run the same command again to grade the changed files.")
        return TO_FIX
    passed = all(tally.verdicts["passed"] == tally.learners for tally in tallies.values())
    return MET if passed else NOT_MET


def _write(
    database: Database, slugs: Sequence[str], outputs: Outputs, context: Context
) -> list[Complaint]:
    complaints: list[Complaint] = []
    for name, path in outputs.files:
        try:
            if name == "csv":
                export.save_csv(database.rows(slugs), path, follow_link=False)
            else:
                reports = list(
                    export.reports(database, database.rows(slugs), reveal=outputs.reveal)
                )
                write(path, formats.render(name, reports), follow_link=False)
        except UsageError as error:
            complaints += error.complaints
    for name, path in outputs.folders:
        try:
            count = export.write_reports(database, slugs, name, path, reveal=outputs.reveal)
        except UsageError as error:
            complaints += error.complaints
        else:
            context.tell(f"{count} reports in {path}")
    return complaints
