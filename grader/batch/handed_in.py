"""The words of an assignment: learners, their files, what they handed in, what the user said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.batch.sources import SOURCES
from grader.errors import Complaint

MOST_SHOWN = 5
"""complaints or files that are listed before the rest is counted"""


@dataclass(frozen=True, slots=True)
class Learner:
    """One person or group. `id`, `name` and `email` are the platform's, where it has them."""

    id: str = ""
    name: str = ""
    email: str = ""

    @property
    def key(self) -> str:
        """What the learner is called everywhere: name and id, as far as they are known."""
        return "_".join(filter(None, [self.name, self.id])) or self.email


@dataclass(frozen=True, slots=True)
class Found:
    """A file of somebody. `rest` is its path as far as the learner chose it."""

    path: str
    rest: str
    refused: str = ""
    problem: str = ""
    """the exercise that a pattern or a platform names"""
    when: str = ""
    """sorts attempts"""

    @property
    def folder(self) -> str:
        """The folder that the learner put it in."""
        return self.rest.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.rest.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """Its own name without the ending."""
        return self.name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Assigned:
    """What one learner handed in for one exercise. `note` says why there is no `path`."""

    learner: Learner
    problem: str
    path: str = ""
    name: str = ""
    """the file's own name"""
    siblings: tuple[tuple[str, str], ...] = ()
    """name and path of the learner's other Python files in the same folder, which it may import"""
    note: str = ""
    source: int = 0
    """which of the sources it lies in"""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user said: the exercises, and a layout's name or a pattern."""

    problems: tuple[str, ...]
    slugs: tuple[str, ...]
    """all exercises of the course, to read names by"""
    layout: str = ""
    pattern: str = ""
    skip_ambiguous: bool = False


People = Mapping[str, Sequence[Learner]]
"""folder of a submission -> who handed it in, from Gradescope's metadata"""


def is_source(path: str) -> bool:
    """Return whether a file can be a submission, or is a learner's ZIP that was refused."""
    return path.lower().endswith((*SOURCES, ".zip"))


def shortened(complaints: Sequence[Complaint]) -> list[Complaint]:
    """Return the first complaints and how many more there are."""
    shown = list(complaints[:MOST_SHOWN])
    if len(complaints) > MOST_SHOWN:
        shown.append(Complaint(f"... and {len(complaints) - MOST_SHOWN} more like these"))
    return shown
