"""`grader audit`: prove that the cases reject every misconception by its own requirement."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.audit import Audit, Auditor, KillRow
from grader.catalog import Course
from grader.commands import MET, TO_FIX, Context
from grader.errors import GraderError
from grader.formats.json import plain
from grader.model import TOGETHER


@dataclass(frozen=True, slots=True)
class AuditOptions:
    """The exercises to audit (none means all), the largest reseed and the output format."""

    slugs: tuple[str, ...]
    reseeds: int
    format: str
    verbose: bool


def run(options: AuditOptions, context: Context) -> int:
    """Audit each exercise and print the kill matrix or JSON.

    Return 0, or 2 if an audit found a problem.
    """
    course = context.course
    slugs = [course.require(slug) for slug in options.slugs] or course.slugs
    reseeds = range(options.reseeds + 1)
    audited = list(_audit_all(course.root, slugs, reseeds))
    if options.format == "json":
        document = {"version": 1, "audits": [audit_data(audits) for audits in audited]}
        context.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")
    else:
        console = context.console()
        for audits in audited:
            show_audits(console, audits, every_row=options.verbose)
    sound = all(not audit.problems for audits in audited for audit in audits)
    return MET if sound else TO_FIX


def _audit_all(root: Path, slugs: Sequence[str], reseeds: Sequence[int]) -> Iterable[list[Audit]]:
    """Yield the audits of each exercise, computed in as many processes as the machine has cores.

    Each process audits every n-th reseed of one exercise. Where processes cannot share a semaphore
    (no writable /dev/shm), this process does all the work.
    """
    cores = os.cpu_count() or 1
    shares = min(len(reseeds), max(1, cores // max(1, len(slugs))))
    pool = _pool(min(cores, len(slugs) * shares))
    if not pool:
        yield from (audit_slug(root, slug, reseeds) for slug in slugs)
        return
    with pool:
        futures = [
            [pool.submit(audit_slug, root, slug, reseeds[n::shares]) for n in range(shares)]
            for slug in slugs
        ]
        for parts in futures:
            audits = [audit for part in parts for audit in part.result()]
            yield sorted(audits, key=lambda audit: audit.reseed)


def _pool(workers: int) -> ProcessPoolExecutor | None:
    """Return a pool whose workers end with this process, or None where one is of no use."""
    if workers < 2:
        return None
    try:
        if sys.platform == "linux":
            from grader.child.sandbox.enter import die_with

            return ProcessPoolExecutor(workers, initializer=die_with, initargs=(os.getpid(),))
        return ProcessPoolExecutor(workers)
    except OSError:
        return None


def audit_slug(root: Path, slug: str, reseeds: Sequence[int]) -> list[Audit]:
    """Return one audit for each of the `reseeds`. Raises GraderError."""
    course = Course(root)
    problem = course.load(slug)
    misconceptions = course.misconceptions(problem)
    if not misconceptions:
        raise GraderError(f"{slug} has no misconceptions to audit its cases with")
    auditor = Auditor(
        problem,
        course.reference(problem),
        misconceptions,
        {a.id: a.implementation for a in course.alternatives(problem)},
    )
    return [auditor.audit(reseed) for reseed in reseeds]


def show_audits(console: Console, audits: Sequence[Audit], *, every_row: bool = False) -> None:
    """Print the kill matrix of the first audit and the figures of all audits.

    The matrix has a row for each misconception with `every_row`, else one for each requirement.
    """
    audit = audits[0]
    console.print(Text(audit.slug, "bold"))
    console.print(_matrix(audit) if every_row else _by_requirement(audit))
    for line in figures(audits):
        console.print(Text(f"  {line}", overflow="fold"))
    for line in _problems(audits):
        console.print(Text(f"  ✗ {line}", "red", overflow="fold"))
    console.print()


def figures(audits: Sequence[Audit]) -> list[str]:
    """Return the figures of the audits, one line each."""
    audit = audits[0]
    total = len(audit.rows)
    survivors = sum(row.kills == 0 for row in audit.rows)
    fewest = min((row.kills for row in audit.rows), default=0)
    inexact = [f"{row.id} ({_red(row)})" for row in audit.rows if not row.is_exact]
    noise = max((m.noise for m in audit.margins), default=0.0)
    nearest = min((m.nearest_wrong for m in audit.margins), default=math.inf)
    return [
        f"{_plural(total, 'misconception')}, {_plural(audit.cases, 'case')},"
        f" {_plural(audit.alternatives, 'alternative')}:"
        f" {survivors} survive, each of the others is rejected by at least {fewest} cases",
        f"exactness: {audit.exact} of {total} ({audit.exact / total:.1%}) turn exactly their own"
        f" requirement red" + (f"; not: {', '.join(inexact)}" if inexact else ""),
        _trivials(audits),
        f"distinguishability: {len(audit.indistinct)} pairs that no case tells apart",
        f"margins: right answers stay within {noise:.2g} of the tolerance, wrong ones are beyond"
        f" {nearest:.3g} times it; cases in doubt: {sum(bool(m.doubtful) for m in audit.margins)}",
        f"isolating cases alone reject {audit.isolating_killed} of {total}"
        f" ({audit.isolating_killed / total:.1%}); cases of {TOGETHER!r} alone"
        f" {audit.together_killed} ({audit.together_killed / total:.1%})",
        f"reseeding: sound for {sum(not a.problems for a in audits)} of {len(audits)} seedings",
    ]


def _trivials(audits: Sequence[Audit]) -> str:
    """Return how many trivial answers were tried, and how many requirements they meet."""
    met = {found.requirement for audit in audits for found in audit.undeserved}
    tried = _plural(max(audit.trivials for audit in audits), "trivial answer")
    return f"{tried}, in every combination, {_meet(len(met))}"


def _meet(requirements: int) -> str:
    if not requirements:
        return "meet no requirement that compares values"
    return f"meet {_plural(requirements, 'requirement')} undeservedly"


def audit_data(audits: Sequence[Audit]) -> dict[str, Any]:
    """Return the audits of one exercise as JSON data."""
    audit = audits[0]
    result = plain(asdict(audit))
    assert isinstance(result, dict)
    result["figures"] = plain(figures(audits))
    result["reseeds"] = [{"reseed": a.reseed, "problems": list(a.problems)} for a in audits]
    return result


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _red(row: KillRow) -> str:
    return f"turns red: {', '.join(row.red)}" if row.red else "turns nothing red"


def _problems(audits: Sequence[Audit]) -> list[str]:
    """Return every problem once, with the first reseed that shows it."""
    first: dict[str, int] = {}
    for audit in audits:
        for problem in audit.problems:
            first.setdefault(problem, audit.reseed)
    return [f"{p} (--reseed {n})" if n else p for p, n in first.items()]


def _requirements(audit: Audit) -> list[str]:
    return list(audit.rows[0].rejecting) if audit.rows else []


def _by_requirement(audit: Audit) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("requirement")
    for name in ("violated by", "exact", "rejects"):
        table.add_column(name, justify="right")
    for id in _requirements(audit):
        own = [row for row in audit.rows if row.violates == id]
        rejects = sum(bool(row.rejecting[id]) for row in audit.rows)
        exact = sum(row.is_exact for row in own)
        table.add_row(id, str(len(own)), str(exact), str(rejects))
    return table


def _matrix(audit: Audit) -> Table:
    """Return how many cases of each requirement reject each misconception; `*` marks red ones."""
    table = Table(box=None, pad_edge=False)
    table.add_column("misconception", overflow="fold")
    names = _requirements(audit)
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    for row in audit.rows:
        cells = [_cell(row, name) for name in names]
        table.add_row(row.id, *cells)
    return table


def _cell(row: KillRow, requirement: str) -> Text:
    count = len(row.rejecting[requirement])
    mark = "*" if requirement in row.red else ""
    style = ("green" if requirement == row.violates else "red") if mark else "dim"
    return Text(f"{count or '·'}{mark}", style)
