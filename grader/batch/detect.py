"""Which layout do these files have? The one that all of them fit, or a complaint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from grader.batch import LAYOUTS, PLATFORMS, layouts
from grader.batch.layouts import Layout
from grader.batch.listing import Entry
from grader.batch.roster import People, Wish, is_source
from grader.errors import Complaint, UsageError

_WAYS_OUT = (
    f"Say which it is with --layout ({', '.join(LAYOUTS)}),"
    " or describe the names with --pattern, for example '{learner}/{any}/{problem}.py'."
)


def layout_of(
    source: str, entries: Sequence[Entry], wish: Wish, people: People
) -> tuple[Layout, str]:
    """Return the layout, and the folder around everything, with its `/`, or ''.

    Raises UsageError when none or several fit.
    """
    if wish.pattern:
        return layouts.given(wish.pattern, wish.slugs), ""
    paths = [entry.path for entry in entries if is_source(entry.path)]
    views = [("", source)]
    tops = {entry.path.partition("/")[0] for entry in entries}
    if len(tops) == 1 and "/" in paths[0]:
        (top,) = tops
        views.append((f"{top}/", top))
    counted = [
        (_fitting(layout, prefix, paths), layout, prefix)
        for prefix, view in views
        for name in ([wish.layout] if wish.layout else PLATFORMS)
        for layout in [layouts.named(name, view, wish.slugs, people)]
    ]
    if not wish.layout:
        return _detected(source, paths, wish, [item for item in counted if item[0]])
    count, layout, prefix = max(counted, key=lambda item: item[0])
    if not count:
        raise UsageError(f"{source}: no file is named as in {layout.says}")
    return layout, prefix


def match(layout: Layout, prefix: str, path: str) -> Mapping[str, str | None] | None:
    """Return how a path reads in the layout, below the folder around everything."""
    return layout.read(path[len(prefix) :]) if path.startswith(prefix) else None


def _detected(
    source: str, paths: Sequence[str], wish: Wish, counted: list[tuple[int, Layout, str]]
) -> tuple[Layout, str]:
    # nbgrader keeps the course's other folders beside `submitted`; they are nobody's.
    whole = [item for item in counted if item[0] == len(paths) or item[1].name == "nbgrader"]
    if len({layout.name for _, layout, _ in whole}) > 1:
        both = " and ".join(layout.says for _, layout, _ in whole)
        message = f"{source}: the names fit more than one layout: {both}"
        raise UsageError(Complaint(message, way_out=_WAYS_OUT))
    if whole:
        return whole[0][1:]
    if counted:
        count, layout, prefix = max(counted, key=lambda item: item[0])
        other = next(path for path in paths if not match(layout, prefix, path))
        message = (
            f"{source}: {count} of {len(paths)} files are named as in {layout.says};"
            f" {other!r} is not"
        )
        raise UsageError(Complaint(message, way_out=_WAYS_OUT))
    return _plain(source, paths, wish), ""


def _plain(source: str, paths: Sequence[str], wish: Wish) -> Layout:
    """Return a layout of no platform: a folder or a file for each learner."""
    deep = [path for path in paths if "/" in path]
    flat = [path for path in paths if "/" not in path]
    if deep and flat:
        message = (
            f"{source}: there are files beside folders ({flat[0]!r}, {deep[0]!r}): does a file"
            " or a folder stand for a learner?"
        )
        raise UsageError(Complaint(message, way_out=_WAYS_OUT))
    if deep:
        by_problem = layouts.by_problem(wish.slugs)
        every = _fitting(by_problem, "", paths) == len(paths)
        return by_problem if every else layouts.named("folders", source, wish.slugs)
    own = layouts.one_learner(wish.slugs)
    count = _fitting(own, "", flat)
    if 0 < count < len(flat):
        named = next(path for path in flat if match(own, "", path))
        other = next(path for path in flat if not match(own, "", path))
        message = f"{source}: {named!r} is named for an exercise, {other!r} for a learner?"
        raise UsageError(Complaint(message, way_out=_WAYS_OUT))
    return own if count else layouts.named("files", source, wish.slugs)


def _fitting(layout: Layout, prefix: str, paths: Iterable[str]) -> int:
    return sum(match(layout, prefix, path) is not None for path in paths)
