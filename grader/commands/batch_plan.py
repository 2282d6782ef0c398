"""The plan of `grader batch`: assign files to learners and print the assignment."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grader.batch import gradescope
from grader.batch.assign import Assignment, assign, merged
from grader.batch.handed_in import Assigned, Wish
from grader.batch.sources import Tree
from grader.batch.summary import shown
from grader.commands import Context

SHOWN_ROWS = 10
"""learners printed before a run; `--dry-run` prints all"""


def assigned(
    trees: Sequence[Tree], wish: Wish, context: Context
) -> tuple[list[Assigned], list[Assignment]]:
    """Return the rows of all sources and the assignment of each. Raises UsageError."""
    assignments = [
        assign(tree.name, tree.entries, wish, gradescope.people_of(tree)) for tree in trees
    ]
    for tree in trees:
        for entry in tree.left_out:
            context.tell(f"left out: {shown(entry.path)} ({entry.refused})")
    return merged(assignments), assignments


def show(
    assignments: Sequence[Assignment],
    rows: Sequence[Assigned],
    most: int,
    tell: Callable[[str], None],
) -> None:
    """Print the layout of each source, then the files of up to `most` learners."""
    for assignment in assignments:
        files = sum(bool(row.path) for row in assignment.rows)
        tell(f"{shown(assignment.source)}: {files} submissions; {assignment.layout.says}")
        for entry in assignment.left_out[:SHOWN_ROWS]:
            tell(f"  left out: {shown(entry.path)} ({entry.refused})")
        if len(assignment.left_out) > SHOWN_ROWS:
            tell(f"  ... and {len(assignment.left_out) - SHOWN_ROWS} more left out")
    for row in rows[:most]:
        file_or_note = row.path or row.note
        tell(f"  {shown(row.learner.key)}  {row.problem}: {shown(file_or_note)}")
    if len(rows) > most:
        tell(f"  ... and {len(rows) - most} more; --dry-run shows all")
