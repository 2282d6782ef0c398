"""`grader batch`, before it runs: what belongs to whom, and the lines that show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from grader.batch import gradescope
from grader.batch.assign import Assignment, assign, merged
from grader.batch.handed_in import Assigned, People, Wish
from grader.batch.sources import METADATA, Tree, UnreadableError
from grader.batch.summary import shown
from grader.commands import Context
from grader.errors import UsageError

SHOWN_ROWS = 10
"""learners that are told before a run; `--dry-run` tells all"""


def assigned(
    trees: Sequence[Tree], wish: Wish, context: Context
) -> tuple[list[Assigned], list[Assignment]]:
    """Return the rows of all sources, and what was found in each. Raises UsageError."""
    assignments = [assign(tree.name, tree.entries, wish, _people(tree)) for tree in trees]
    for tree in trees:
        for entry in tree.left_out:
            context.tell(f"left out: {shown(entry.path)} ({entry.refused})")
    return merged(assignments), assignments


def _people(tree: Tree) -> People:
    """Return who handed in which folder, where Gradescope's metadata says so."""
    places = [e.path for e in tree.entries if e.path.rpartition("/")[2] == METADATA]
    places = [place for place in places if place.count("/") < 2]
    if not places:
        return {}
    try:
        return gradescope.people(tree.read(places[0]), f"{tree.name}/{places[0]}")
    except UnreadableError as error:
        raise UsageError(f"{tree.name}/{places[0]}: {error}") from None


def show(
    assignments: Sequence[Assignment],
    rows: Sequence[Assigned],
    most: int,
    tell: Callable[[str], None],
) -> None:
    """Tell what belongs to whom: the layouts, then up to `most` learners."""
    for assignment in assignments:
        files = sum(bool(row.path) for row in assignment.rows)
        tell(f"{shown(assignment.source)}: {files} submissions; {assignment.layout.says}")
        for entry in assignment.left_out[:SHOWN_ROWS]:
            tell(f"  left out: {shown(entry.path)} ({entry.refused})")
        if len(assignment.left_out) > SHOWN_ROWS:
            tell(f"  ... and {len(assignment.left_out) - SHOWN_ROWS} more left out")
    for row in rows[:most]:
        what = row.path or row.note
        tell(f"  {shown(row.learner.key)}  {row.problem}: {shown(what)}")
    if len(rows) > most:
        tell(f"  ... and {len(rows) - most} more; --dry-run shows all")
