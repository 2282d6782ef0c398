"""Files to learners: who handed in what for which exercise. Pure, and never a guess.

What cannot be told is a complaint, and all complaints come at once, before anything is graded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from grader.batch import choice
from grader.batch.detect import layout_of, match
from grader.batch.layouts import Layout
from grader.batch.listing import SOURCES, Entry
from grader.batch.roster import Assigned, Found, Learner, People, Wish, is_source, shortened
from grader.errors import Complaint, UsageError


@dataclass(frozen=True, slots=True)
class Assignment:
    """What belongs to whom in one source."""

    source: str
    layout: Layout
    rows: tuple[Assigned, ...]
    left_out: tuple[Entry, ...] = ()


def assign(source: str, entries: Sequence[Entry], wish: Wish, people: People) -> Assignment:
    """Return what belongs to whom in the source of that name.

    Raises UsageError when no layout or several fit the files, or when a learner's file for an
    exercise cannot be told; with `wish.skip_ambiguous` such a learner's row says so instead.
    """
    if not any(is_source(entry.path) for entry in entries):
        raise UsageError(f"{source}: no {' or '.join(SOURCES)} file in there")
    layout, prefix = layout_of(source, entries, wish, people)
    found, left_out = _matched(source, layout, prefix, entries, people)
    complaints: list[Complaint] = []
    rows: list[Assigned] = []
    for learner, files in found.items():
        last = max(file.when for file in files)
        left_out += [Entry(f.path, "an earlier attempt") for f in files if f.when != last]
        sources = [file for file in files if file.when == last and is_source(file.path)]
        try:
            rows += choice.rows(learner, sources, wish)
        except UsageError as error:
            complaints += error.complaints
            note = f"skipped: {error.complaints[0].message}"
            rows += [Assigned(learner, problem, note=note) for problem in wish.problems]
    if complaints and not wish.skip_ambiguous:
        skip = Complaint("Or leave such learners ungraded with --skip-ambiguous.")
        raise UsageError(*shortened(complaints), skip)
    if not any(row.path or row.note for row in rows):
        raise UsageError(f"{source}: no file is named as in {layout.says}")
    return Assignment(source, layout, tuple(rows), tuple(left_out))


def merged(assignments: Sequence[Assignment]) -> list[Assigned]:
    """Return the rows of all sources, sorted by learner and exercise.

    Raises UsageError for learners who handed in the same exercise twice.
    """
    rows: dict[tuple[str, str], Assigned] = {}
    complaints: list[Complaint] = []
    for source, assignment in enumerate(assignments):
        for row in assignment.rows:
            place = (row.learner.key, row.problem)
            before = rows.get(place)
            if before is None or not before.path:
                rows[place] = replace(row, source=source)
            elif row.path:
                message = f"{place[0]} has {before.path} and {row.path} for {row.problem}"
                way_out = "Are these two learners? Tell them apart with --pattern."
                complaints.append(Complaint(message, way_out=way_out))
    if complaints:
        raise UsageError(*shortened(complaints))
    return [rows[place] for place in sorted(rows)]


def _matched(
    source: str, layout: Layout, prefix: str, entries: Sequence[Entry], people: People
) -> tuple[dict[Learner, list[Found]], list[Entry]]:
    """Return the files of each learner, and what fits nobody."""
    found: dict[Learner, list[Found]] = {}
    left_out: list[Entry] = []
    for entry in entries:
        groups = match(layout, prefix, entry.path)
        if groups is None:
            if is_source(entry.path) or entry.refused:
                why = entry.refused or f"not named as in {layout.says}"
                left_out.append(Entry(entry.path, why))
            continue
        file = Found(
            path=entry.path,
            rest=groups.get("file") or entry.path.rpartition("/")[2],
            refused=entry.refused,
            problem=groups.get("problem") or groups.get("lead") or "",
            when=groups.get("when") or "",
        )
        for learner in _learners(source, layout, groups, people):
            found.setdefault(learner, []).append(file)
    return found, left_out


def _learners(
    source: str, layout: Layout, groups: Mapping[str, str | None], people: People
) -> Sequence[Learner]:
    folder = groups.get("folder")
    if folder:
        return people[folder]
    id = groups.get("id") or groups.get("anonymous") or ""
    if layout.name == "folders":
        id = re.sub(r"\.zip$", "", id, flags=re.IGNORECASE)
    return [Learner(id, groups.get("name") or "") if layout.name != "one" else Learner(source)]
