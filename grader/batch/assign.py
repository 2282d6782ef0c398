"""Match files to learners and exercises.

Pure functions; nothing is guessed. An ambiguous file is a complaint, and all complaints are raised
together, before grading starts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grader.batch.handed_in import (
    MOST_SHOWN,
    Assigned,
    Found,
    Learner,
    People,
    Wish,
    is_source,
    shortened,
)
from grader.batch.layouts import Layout, layout_of, match
from grader.batch.sources import SOURCES, Entry
from grader.errors import Complaint, UsageError


@dataclass(frozen=True, slots=True)
class Assignment:
    """The files of one source by learner and exercise, and the files that were left out."""

    source: str
    layout: Layout
    rows: tuple[Assigned, ...]
    left_out: tuple[Entry, ...] = ()


def assign(source: str, entries: Sequence[Entry], wish: Wish, people: People) -> Assignment:
    """Match the files of a source to learners and exercises.

    Raises UsageError when no layout or more than one matches the files, or when a learner's files
    are ambiguous. With `wish.skip_ambiguous` the rows of such a learner get a note instead.
    """
    if not any(is_source(entry.handed_in) for entry in entries):
        raise UsageError(f"{source}: no {' or '.join(SOURCES)} file in it")
    layout, prefix = layout_of(source, entries, wish, people)
    found, left_out = _matched(source, layout, prefix, entries, people)
    complaints: list[Complaint] = []
    rows: list[Assigned] = []
    for learner, files in found.items():
        last = max(file.when for file in files)
        left_out += [Entry(f.path, "an earlier attempt") for f in files if f.when != last]
        sources = [file for file in files if file.when == last and is_source(file.path)]
        try:
            rows += rows_of(learner, sources, wish)
        except UsageError as error:
            complaints += error.complaints
            note = f"skipped: {error.complaints[0].message}"
            rows += [Assigned(learner, problem, note=note) for problem in wish.problems]
    if complaints and not wish.skip_ambiguous:
        skip = Complaint("Or skip such learners with --skip-ambiguous.")
        raise UsageError(*shortened(complaints), skip)
    if not any(row.path or row.note for row in rows):
        raise UsageError(f"{source}: no file is named as in {layout.says}")
    return Assignment(source, layout, tuple(rows), tuple(left_out))


def merged(assignments: Sequence[Assignment]) -> list[Assigned]:
    """Return the rows of all sources, sorted by learner and exercise.

    Raises UsageError when a learner handed in the same exercise in two sources.
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
                advice = "If these are two learners, use --pattern to distinguish them."
                complaints.append(Complaint(message, advice=advice))
    if complaints:
        raise UsageError(*shortened(complaints))
    return [rows[place] for place in sorted(rows)]


def _matched(
    source: str, layout: Layout, prefix: str, entries: Sequence[Entry], people: People
) -> tuple[dict[Learner, list[Found]], list[Entry]]:
    """Return the files of each learner, and the files that match no learner."""
    found: dict[Learner, list[Found]] = {}
    left_out: list[Entry] = []
    for entry in entries:
        groups = match(layout, prefix, entry)
        if groups is None:
            if is_source(entry.path) or entry.refused:
                why = entry.refused or f"not named as in {layout.says}"
                left_out.append(Entry(entry.path, why))
            continue
        file = Found(
            path=entry.path,
            rest=groups["file"] or "",
            refused=entry.refused,
            in_zip=bool(entry.zip_path),
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
    return [Learner(id, groups.get("name") or "") if layout.name != "one" else Learner(source)]


_COPY = re.compile(r"([-_ ]*\(\d+\)|[-_ ]\d+|[-_ ]copy|[-_ ]final)+$")
"""suffixes that Canvas, browsers and people append: `softmax-1`, `softmax (2)`"""


def rows_of(learner: Learner, sources: Sequence[Found], wish: Wish) -> Iterator[Assigned]:
    """Yield a row for each exercise. Raises UsageError when the files are ambiguous."""
    chosen = {problem: _choice(learner, problem, sources, wish) for problem in wish.problems}
    if sources and not any(chosen.values()) and not _meant_for_others(sources, wish):
        if all(file.refused for file in sources):
            yield from (_refused(learner, problem, sources[0]) for problem in wish.problems)
            return
        message = f"{learner.key}: the exercise cannot be determined from {_listed(sources)}"
        names = " or ".join(f"{slug}.py" for slug in wish.problems)
        raise UsageError(
            Complaint(message, advice=f"Add --problem SLUG, or name the file {names}.")
        )
    mains = {file.path for file in chosen.values() if file}
    for problem, file in chosen.items():
        if file is None:
            yield Assigned(learner, problem, note="nothing was handed in")
        elif file.refused:
            yield _refused(learner, problem, file)
        else:
            siblings = tuple(
                (other.name, other.path)
                for other in sources
                if other.folder == file.folder
                and other.name.endswith(".py")
                and not other.refused
                and other.path not in mains
            )
            yield Assigned(learner, problem, file.path, file.name, siblings)


def _refused(learner: Learner, problem: str, file: Found) -> Assigned:
    return Assigned(learner, problem, note=f"{file.path}: {file.refused}")


def _choice(learner: Learner, problem: str, sources: Sequence[Found], wish: Wish) -> Found | None:
    open_files = [file for file in sources if file.problem in ("", problem)]
    for rule in _RULES:
        fitting = [file for file in open_files if rule(file, problem, wish)]
        if len(fitting) > 1:
            message = f"{learner.key}: {len(fitting)} files may solve {problem}: {_listed(fitting)}"
            advice = "Remove all but one, or use --pattern to distinguish them."
            raise UsageError(Complaint(message, advice=advice))
        if fitting:
            return fitting[0]
    if len(wish.problems) == 1 and len(sources) == 1 and not _meant_for_others(sources, wish):
        return sources[0]
    return None


def _meant_for_others(sources: Sequence[Found], wish: Wish) -> bool:
    """Return whether a file is named for an exercise that is not graded now."""
    graded = ("", *wish.problems)
    return any(f.problem not in graded or _named_for(f, wish) not in graded for f in sources)


def _named_for(file: Found, wish: Wish) -> str:
    """Return the longest slug in the file's name, or '': a slug may end with another."""
    name = _plain(file.stem)
    return next((s for s in sorted(wish.slugs, key=len, reverse=True) if _plain(s) in name), "")


def _plain(name: str) -> str:
    return re.sub(r"[-\s]+", "_", name.lower())


def _listed(files: Sequence[Found]) -> str:
    more = f" and {len(files) - MOST_SHOWN} more" if len(files) > MOST_SHOWN else ""
    return ", ".join(file.path for file in files[:MOST_SHOWN]) + more


_RULES: tuple[Callable[[Found, str, Wish], bool], ...] = (
    lambda file, slug, _: file.problem == slug and not file.in_zip,
    lambda file, slug, _: f"/{file.rest}".endswith(f"/solutions/{slug}.py"),
    lambda file, slug, _: file.stem == slug,
    lambda file, slug, _: _plain(_COPY.sub("", file.stem.lower())) == _plain(slug),
    lambda file, slug, _: slug in file.rest.split("/")[:-1],
    lambda file, slug, wish: _named_for(file, wish) == slug,
    lambda file, slug, _: file.problem == slug,
)
"""from an exact name to a name that contains the slug; the first rule that matches decides"""
