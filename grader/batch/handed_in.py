"""The data types of assignment: learners, their files, rows of the class, the user's request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.batch.sources import SOURCES
from grader.errors import Complaint

MOST_SHOWN = 5
"""complaints or files that are listed; the rest is only counted"""


@dataclass(frozen=True, slots=True)
class Learner:
    """One person or group. `id`, `name` and `email` come from the platform; each may be empty."""

    id: str = ""
    name: str = ""
    email: str = ""

    @property
    def key(self) -> str:
        """The learner's unique name: name and id where known, else the e-mail address."""
        return "_".join(filter(None, [self.name, self.id])) or self.email


@dataclass(frozen=True, slots=True)
class Found:
    """A learner's file. `rest` is the part of its path that the learner chose."""

    path: str
    rest: str
    refused: str = ""
    in_zip: bool = False
    """whether it is in a learner's ZIP: there `problem` is the exercise of the whole ZIP"""
    problem: str = ""
    """slug of the exercise, where the layout gives it"""
    when: str = ""
    """sort key of the attempt"""

    @property
    def folder(self) -> str:
        """The folder part of `rest`."""
        return self.rest.rpartition("/")[0]

    @property
    def name(self) -> str:
        """The file's name without folders."""
        return self.rest.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The file's name without folders and ending."""
        return self.name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Assigned:
    """One learner's file for one exercise. Without a file, `path` is empty and `note` says why."""

    learner: Learner
    problem: str
    path: str = ""
    name: str = ""
    """the file's name without folders"""
    siblings: tuple[tuple[str, str], ...] = ()
    """name and path of the learner's other Python files in the same folder; it may import them"""
    note: str = ""
    source: int = 0
    """index of the source that contains the file"""


@dataclass(frozen=True, slots=True)
class Wish:
    """The user's request: the exercises, and a layout's name or a pattern."""

    problems: tuple[str, ...]
    slugs: tuple[str, ...]
    """all exercises of the course; file names may contain them"""
    layout: str = ""
    pattern: str = ""
    skip_ambiguous: bool = False


People = Mapping[str, Sequence[Learner]]
"""folder of a submission -> its submitters, from Gradescope's metadata"""


def is_source(path: str) -> bool:
    """Return whether a file is a submission by its ending, or a learner's ZIP that was refused."""
    return path.lower().endswith((*SOURCES, ".zip"))


def shortened(complaints: Sequence[Complaint]) -> list[Complaint]:
    """Return the first complaints and one that counts the rest."""
    shown = list(complaints[:MOST_SHOWN])
    if len(complaints) > MOST_SHOWN:
        shown.append(Complaint(f"... and {len(complaints) - MOST_SHOWN} more like these"))
    return shown
