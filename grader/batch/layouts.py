"""File name patterns of learning platforms and of hand-made folders.

Each pattern matches the whole path of a handed-in file relative to the source. A ZIP that a learner
handed in is one file: what is in it never decides how classmates are read. Groups: `name` and `id`
identify the learner, `file` is the handed-in file, `when` sorts attempts, `problem` is the
exercise's slug.
Sources of the rules:

canvas      instructure/canvas-lms `lib/content_zipper.rb`: sortable name in lower case, only its
            letters, digits and underscores, `LATE`, user id (or `anon_` and five
            characters), attachment id, file; `_text.html` and `_link.html` for other kinds
moodle      moodle/moodle `mod/assign/classes/downloader.php`: full name without underscores,
            participant number, `assignsubmission_file`, then a folder or, as one flat list, `_`
gradescope  `submission_metadata.yml` beside a folder for each submission
blackboard  assignment, user name, `attempt`, date and time to the second, file; a `.txt` receipt
            for each attempt (rogerhowell's `BbExtractionUtil.java`)
github      github/gh-classroom `clone/student-repos`: `<assignment>-submissions/` with clones
            named `<assignment>-<user>`
nbgrader    its documentation: `submitted/<student>/<assignment>/<file>`
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.batch import LAYOUTS, PLATFORMS
from grader.batch.handed_in import People, Wish, is_source
from grader.batch.sources import SOURCES, Entry
from grader.errors import Complaint, UsageError

_ENDING = f"(?i:{'|'.join(re.escape(ending) for ending in (*SOURCES, '.zip'))})"
_ALONE = rf"(?P<id>[^/]+?){_ENDING}"


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to name files. `says` describes it in one line."""

    name: str
    says: str
    pattern: re.Pattern[str]
    folders: Collection[str] = ()
    """allowed values of the group `folder`, for patterns that have this group"""
    opens_zips: bool = False
    """whether the pattern matches the paths of the files in a learner's ZIP"""

    def read(self, path: str, inside: str = "") -> Mapping[str, str | None] | None:
        """Return the groups of a file, or None when the layout does not match it.

        A file in a learner's ZIP has the ZIP's path and `inside`, which begins with `/`. The group
        `file` is the part of the whole path that the learner chose.
        """
        match = self.pattern.fullmatch(path + inside if self.opens_zips else path)
        if match is None:
            return None
        groups = match.groupdict()
        if groups.get("folder") and groups["folder"] not in self.folders:
            return None
        if any(groups.get(group) and match.end(group) > len(path) for group in ("id", "name")):
            return None
        groups["file"] = groups.get("file") or match[0].rpartition("/")[2]
        if not self.opens_zips:
            groups["file"] += inside
        return groups


_FIXED = {
    "canvas": (
        "Canvas: lastnamefirstname_userid_attachmentid_file",
        r"(?:(?P<name>\w+?)_(?:LATE_)?(?P<id>\d+)|(?:LATE_)?(?P<anonymous>anon_[^\W_]+))"
        r"_(?:\d+_(?P<file>.+)|(?:text|link)\.html)",
    ),
    "moodle": (
        "Moodle: Full Name_number_assignsubmission_file",
        r"(?P<name>[^/_]+)(?:_(?P<id>\d+))?_assignsubmission_[a-z]+(?:_?/|_)(?P<file>.+)",
    ),
    "blackboard": (
        "Blackboard: Assignment_user_attempt_date_file",
        r"[^/]+?_(?P<id>[^/_]+)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)",
    ),
}
_GENERIC = {
    "folders": (
        "a folder or a ZIP for each learner",
        r"(?P<id>[^/]+?)(?:(?i:\.zip)?/(?P<file>.+)|(?i:\.zip))",
    ),
    "files": ("a file or a ZIP for each learner", _ALONE),
}


def named(name: str, source: str, slugs: Sequence[str], folders: Collection[str] = ()) -> Layout:
    """Return the layout `name` for the source named `source`.

    `folders` are the folder names in Gradescope's metadata.
    """
    if name == "gradescope":
        says = "Gradescope: a folder for each submission, submission_metadata.yml"
        return Layout(name, says, re.compile(r"(?P<folder>[^/]+)/(?P<file>.+)"), folders)
    if name == "github":
        says = "GitHub Classroom: assignment-submissions/assignment-user"
        return _layout(name, says, _clones(source))
    if name == "nbgrader":
        lead = "" if source == "submitted" else "submitted/"
        # The assignment's folder may name the exercise, so `file` starts with it.
        inside = r"(?P<id>[^/]+)/(?P<file>[^/]+/.+)"
        return _layout(name, "nbgrader: submitted/student/assignment/file", lead + inside)
    if name == "files":
        return _layout(name, _GENERIC[name][0], _files(slugs))
    return _layout(name, *(_FIXED | _GENERIC)[name])


def by_problem(slugs: Sequence[str]) -> Layout:
    """Return the layout with a folder for each exercise and in it a file or a ZIP for each."""
    says = "a folder for each exercise, a file or a ZIP for each learner"
    return _layout("problems", says, rf"(?P<problem>{_any_of(slugs)})/{_ALONE}")


def one_learner(slugs: Sequence[str]) -> Layout:
    """Return the layout of one learner's folder, with a file for each exercise."""
    return _layout("one", "one learner's files", rf"(?P<problem>{_any_of(slugs)}){_ENDING}")


def given(pattern: str, slugs: Sequence[str]) -> Layout:
    """Return the layout of a user's pattern, for example `{learner}/{problem}.py`.

    Raises UsageError for an unknown field, a repeated field, or a pattern without a learner.
    """
    known: Mapping[str, str] = {
        "learner": r"(?P<id>[^/]+?)",
        "id": r"(?P<id>[^/]+?)",
        "name": r"(?P<name>[^/]+?)",
        "problem": rf"(?P<problem>{_any_of(slugs)})",
        "file": r"(?P<file>.+)",
        "any": r"[^/]*?",
    }
    regex, used = "", set()
    for literal, word in re.findall(r"([^{}]*)(?:\{([^{}]*)\}|$)", pattern):
        regex += re.escape(literal)
        if word and word not in known:
            listed = ", ".join(f"{{{name}}}" for name in known)
            message = f"--pattern {pattern}: {{{word}}} is unknown"
            raise UsageError(Complaint(message, advice=f"The fields are: {listed}."))
        group = "id" if word == "learner" else word
        if word and group != "any" and group in used:
            raise UsageError(f"--pattern {pattern}: {{{word}}} is repeated")
        used.add(group)
        regex += known.get(word, "")
    if not used & {"id", "name"}:
        raise UsageError(f"--pattern {pattern}: it must contain {{learner}}, {{id}} or {{name}}")
    compiled = re.compile(regex, re.DOTALL)
    return Layout("pattern", f"the pattern {pattern}", compiled, opens_zips=True)


def _layout(name: str, says: str, regex: str) -> Layout:
    return Layout(name, says, re.compile(regex, re.DOTALL))


def _clones(source: str) -> str:
    inside = r"(?P<id>[^/]+)/(?P<file>.+)"
    if source.endswith("-submissions"):
        return re.escape(source.removesuffix("submissions")) + inside
    return rf"(?P<assignment>[^/]+)-submissions/(?P=assignment)-{inside}"


def _files(slugs: Sequence[str]) -> str:
    """Return a regular expression for `ada.py`, `ada_softmax.py` and `softmax-ada.py`."""
    words, gap = _any_of(slugs), "[-_. ]+"
    return rf"(?:(?P<lead>{words}){gap})?(?P<id>[^/]+?)(?:{gap}(?P<problem>{words}))?{_ENDING}"


def _any_of(slugs: Sequence[str]) -> str:
    """Return a regular expression for the slugs, longest first: a slug may end with another."""
    words = sorted(slugs, key=len, reverse=True)
    return "|".join(re.escape(word) for word in words) or "(?!)"


_ADVICE = (
    f"Name the layout with --layout ({', '.join(LAYOUTS)}),"
    " or describe the file names with --pattern, for example '{learner}/{any}/{problem}.py'."
)


def layout_of(
    source: str, entries: Sequence[Entry], wish: Wish, people: People
) -> tuple[Layout, str]:
    """Return the layout of a source, and the prefix that all its paths share (`top/` or empty).

    Raises UsageError when no layout or more than one matches.
    """
    if wish.pattern:
        return given(wish.pattern, wish.slugs), ""
    handed_in = {entry.handed_in for entry in entries}
    paths = sorted(filter(is_source, handed_in))
    views = [("", source)]
    tops = {path.partition("/")[0] for path in handed_in}
    if len(tops) == 1 and "/" in paths[0]:
        (top,) = tops
        views.append((f"{top}/", top))
    counted = [
        (_matches(layout, prefix, paths), layout, prefix)
        for prefix, view in views
        for name in ([wish.layout] if wish.layout else PLATFORMS)
        for layout in [named(name, view, wish.slugs, people)]
    ]
    if not wish.layout:
        return _detected(source, paths, wish, [item for item in counted if item[0]])
    count, layout, prefix = max(counted, key=lambda item: item[0])
    if not count:
        raise UsageError(f"{source}: no file is named as in {layout.says}")
    return layout, prefix


def match(layout: Layout, prefix: str, entry: Entry) -> Mapping[str, str | None] | None:
    """Return the layout's groups of a file without `prefix`, or None when it does not match."""
    inside = entry.path[len(entry.handed_in) :]
    return _read(layout, prefix, entry.handed_in, inside)


def _read(
    layout: Layout, prefix: str, path: str, inside: str = ""
) -> Mapping[str, str | None] | None:
    return layout.read(path[len(prefix) :], inside) if path.startswith(prefix) else None


def _detected(
    source: str, paths: Sequence[str], wish: Wish, counted: list[tuple[int, Layout, str]]
) -> tuple[Layout, str]:
    # nbgrader keeps the course's own folders beside `submitted`: not every path matches.
    whole = [item for item in counted if item[0] == len(paths) or item[1].name == "nbgrader"]
    if len({layout.name for _, layout, _ in whole}) > 1:
        both = " and ".join(layout.says for _, layout, _ in whole)
        message = f"{source}: the file names match more than one layout: {both}"
        raise UsageError(Complaint(message, advice=_ADVICE))
    if whole:
        return whole[0][1:]
    if counted:
        count, layout, prefix = max(counted, key=lambda item: item[0])
        other = next(path for path in paths if not _read(layout, prefix, path))
        message = (
            f"{source}: {count} of {len(paths)} files are named as in {layout.says};"
            f" {other!r} is not"
        )
        raise UsageError(Complaint(message, advice=_ADVICE))
    return _plain(source, paths, wish), ""


def _plain(source: str, paths: Sequence[str], wish: Wish) -> Layout:
    """Return a layout without a platform: a folder, a file or a ZIP for each learner."""
    deep = [path for path in paths if "/" in path]
    flat = [path for path in paths if "/" not in path]
    alone = [path for path in flat if not path.lower().endswith(".zip")]
    if deep and alone:
        message = (
            f"{source}: it contains both files and folders ({alone[0]!r},"
            f" {deep[0]!r}); either may stand for a learner"
        )
        raise UsageError(Complaint(message, advice=_ADVICE))
    if deep:
        sorted_by_problem = by_problem(wish.slugs)
        if _matches(sorted_by_problem, "", paths) == len(paths):
            return sorted_by_problem
        return _of_learners(source, paths, wish)
    own = one_learner(wish.slugs)
    count = _matches(own, "", flat)
    if 0 < count < len(flat):
        solution = next(path for path in flat if own.read(path))
        other = next(path for path in flat if not own.read(path))
        message = f"{source}: {solution!r} is named for an exercise, but {other!r} is not"
        raise UsageError(Complaint(message, advice=_ADVICE))
    return own if count else named("files", source, wish.slugs)


def _of_learners(source: str, paths: Sequence[str], wish: Wish) -> Layout:
    """Return the layout `folders`. Raises UsageError when a folder is named for an exercise."""
    layout = named("folders", source, wish.slugs)
    for path in paths:
        groups = layout.read(path)
        if groups and groups["id"] in wish.slugs:
            message = (
                f"{source}: {path.partition('/')[0]!r} is named for an exercise and cannot be"
                f" a learner; so it is unclear whose {path!r} is"
            )
            raise UsageError(Complaint(message, advice=_ADVICE))
    return layout


def _matches(layout: Layout, prefix: str, paths: Iterable[str]) -> int:
    return sum(_read(layout, prefix, path) is not None for path in paths)
