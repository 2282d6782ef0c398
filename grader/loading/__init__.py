"""YAML text to model: every error of every file in one pass, each with line and column."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from grader.errors import AuthorError, Complaint
from grader.loading.cases import CaseFile, read_cases
from grader.loading.problem import read_problem
from grader.model import Problem

__all__ = ["load_problem"]


def load_problem(slug: str, folder: Path, case_files: Iterable[CaseFile], root: Path) -> Problem:
    """Return the problem in `folder` with the cases of all `case_files`.

    Raises AuthorError with every complaint about any of the files.
    """
    with _without_collection():
        return _loaded(slug, folder, case_files, root)


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pause the collection of cycles: it goes through all nodes again and again, for nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _loaded(slug: str, folder: Path, case_files: Iterable[CaseFile], root: Path) -> Problem:
    problem, complaints = read_problem(slug, folder, root)
    seen: dict[str, str] = {}
    cases = []
    for case_file in case_files:
        read, wrong = read_cases(case_file, problem, seen, root)
        cases += read
        complaints += wrong
    if complaints or problem is None:
        raise AuthorError(*_in_order(complaints))
    return replace(problem, cases=tuple(cases))


def _in_order(complaints: list[Complaint]) -> list[Complaint]:
    """Return complaints by file in the order found, and by line within a file."""
    files = list(dict.fromkeys(c.location.path for c in complaints if c.location))
    return sorted(
        complaints,
        key=lambda c: (
            (files.index(c.location.path), c.location.line, c.location.column)
            if c.location
            else (-1, 0, 0)
        ),
    )
