"""`grader batch`, after it ran: the tables, the CSV file, the reports, and the exit code."""

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
class Wanted:
    """What to write: the class into files, each learner's report into folders."""

    outputs: Places
    folders: Places
    reveal: bool
    """tell all about hidden cases"""


def give_out(
    database: Database,
    slugs: Sequence[str],
    trouble: Trouble,
    wanted: Wanted,
    context: Context,
) -> int:
    """Write the files, print the class, and return the exit code."""
    complaints = _write(database, slugs, wanted, context)
    tallies = summary.tally(database.rows(slugs), context.say)
    if not tallies:
        raise UsageError(f"{database.path} holds nothing that could be told")
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
        context.tell("Run the same command again to grade what changed.")
        return TO_FIX
    passed = all(tally.verdicts["passed"] == tally.learners for tally in tallies.values())
    return MET if passed else NOT_MET


def _write(
    database: Database, slugs: Sequence[str], wanted: Wanted, context: Context
) -> list[Complaint]:
    complaints: list[Complaint] = []
    for name, path in wanted.outputs:
        try:
            if name == "csv":
                export.save_csv(database.rows(slugs), path)
            else:
                found = list(export.reports(database, database.rows(slugs), reveal=wanted.reveal))
                write(path, formats.render(name, found))
        except UsageError as error:
            complaints += error.complaints
    for name, path in wanted.folders:
        try:
            count = export.write_reports(database, slugs, name, path, reveal=wanted.reveal)
        except UsageError as error:
            complaints += error.complaints
        else:
            context.tell(f"{count} reports in {path}")
    return complaints
