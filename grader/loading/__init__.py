"""Load a problem and its cases from YAML files.

All errors of all files are found in one pass, each with its line and column.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from grader import recipes
from grader.child import protocol
from grader.errors import AuthorError, Complaint
from grader.loading.cases import CaseFile, read_cases
from grader.loading.problem import read_problem
from grader.model import Case, Problem

__all__ = ["load_problem"]


def load_problem(slug: str, folder: Path, case_files: Iterable[CaseFile], root: Path) -> Problem:
    """Return the problem in `folder` with the cases of all `case_files`.

    Messages show paths relative to `root`. Raises AuthorError with every complaint about any of
    the files.
    """
    with _paused_garbage_collection():
        return _load(slug, folder, case_files, root)


@contextmanager
def _paused_garbage_collection() -> Iterator[None]:
    """Pause the garbage collector: it would scan the growing tree of nodes and free nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _load(slug: str, folder: Path, case_files: Iterable[CaseFile], root: Path) -> Problem:
    problem, complaints = read_problem(slug, folder, root)
    used_ids: dict[str, str] = {}
    cases = []
    for case_file in case_files:
        more_cases, more_complaints = read_cases(case_file, problem, used_ids, root)
        cases += more_cases
        complaints += more_complaints
    complaints += _too_large(cases)
    if complaints or problem is None:
        raise AuthorError(*_in_order(complaints))
    return replace(problem, cases=tuple(cases))


def _too_large(cases: Iterable[Case]) -> Iterator[Complaint]:
    """Yield a complaint about the first case whose inputs exceed the limit with those before it.

    Nothing is built for it. An element has at most 8 bytes.
    """
    total = 0
    for case in cases:
        size = 8 * recipes.elements_of(case.arguments)
        total += size
        if total > protocol.INPUTS_LIMIT:
            most = protocol.INPUTS_LIMIT // 10**6
            message = (
                f"the inputs of case {case.id!r} take {size // 10**6} MB, with the cases before it"
                f" {total // 10**6} MB; a submission's process holds {most} MB"
            )
            yield Complaint(message, case.location, "Make the shapes smaller, or leave cases out.")
            return


def _in_order(complaints: list[Complaint]) -> list[Complaint]:
    """Return the complaints sorted by file, in the order of first mention, then by position."""
    files = list(dict.fromkeys(c.location.path for c in complaints if c.location))
    return sorted(
        complaints,
        key=lambda c: (
            (files.index(c.location.path), c.location.line, c.location.column)
            if c.location
            else (-1, 0, 0)
        ),
    )
