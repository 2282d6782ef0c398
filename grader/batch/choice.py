"""Which of a learner's files solves which exercise? The first rule that finds one decides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from grader.batch.roster import MOST_SHOWN, Assigned, Found, Learner, Wish
from grader.errors import Complaint, UsageError

_COPY = re.compile(r"([-_ ]*\(\d+\)|[-_ ]\d+|[-_ ]copy|[-_ ]final)+$")
"""what Canvas, browsers and people append to a name: `softmax-1`, `softmax (2)`"""


def rows(learner: Learner, sources: Sequence[Found], wish: Wish) -> Iterator[Assigned]:
    """Yield a row for each exercise. Raises UsageError when a file cannot be told."""
    chosen = {problem: _choice(learner, problem, sources, wish) for problem in wish.problems}
    if sources and not any(chosen.values()) and not _meant_for_others(sources, wish):
        message = f"{learner.key}: which exercise does this solve: {_listed(sources)}?"
        names = " or ".join(f"{slug}.py" for slug in wish.problems)
        raise UsageError(Complaint(message, way_out=f"Add --problem SLUG, or name it {names}."))
    mains = {file.path for file in chosen.values() if file}
    for problem, file in chosen.items():
        if file is None:
            yield Assigned(learner, problem, note="nothing was handed in")
        elif file.refused:
            yield Assigned(learner, problem, note=f"{file.path}: {file.refused}")
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


def _choice(learner: Learner, problem: str, sources: Sequence[Found], wish: Wish) -> Found | None:
    open_files = [file for file in sources if file.problem in ("", problem)]
    for rule in _RULES:
        fitting = [file for file in open_files if rule(file, problem, wish)]
        if len(fitting) > 1:
            message = f"{learner.key}: {len(fitting)} files may solve {problem}: {_listed(fitting)}"
            way_out = "Remove all but one, or tell them apart with --pattern."
            raise UsageError(Complaint(message, way_out=way_out))
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
    """Return the exercise that the file's name holds, or ''; the longest, as one may end so."""
    name = _plain(file.stem)
    return next((s for s in sorted(wish.slugs, key=len, reverse=True) if _plain(s) in name), "")


def _plain(name: str) -> str:
    return re.sub(r"[-\s]+", "_", name.lower())


def _listed(files: Sequence[Found]) -> str:
    more = f" and {len(files) - MOST_SHOWN} more" if len(files) > MOST_SHOWN else ""
    return ", ".join(file.path for file in files[:MOST_SHOWN]) + more


_RULES: tuple[Callable[[Found, str, Wish], bool], ...] = (
    lambda file, slug, wish: file.problem == slug,
    lambda file, slug, wish: f"/{file.rest}".endswith(f"/solutions/{slug}.py"),
    lambda file, slug, wish: file.stem == slug,
    lambda file, slug, wish: _plain(_COPY.sub("", file.stem.lower())) == _plain(slug),
    lambda file, slug, wish: slug in file.rest.split("/")[:-1],
    lambda file, slug, wish: _named_for(file, wish) == slug,
)
"""from a name that leaves no doubt to one that holds the exercise's name"""
