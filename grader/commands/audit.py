"""`grader audit`: do the cases reject every known wrong idea, each by its own requirement?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from grader.audit import Audit, Auditor
from grader.catalog import Course
from grader.commands import MET, TO_FIX, Context
from grader.errors import GraderError
from grader.formats import audit as tables


def run(options: argparse.Namespace, context: Context) -> int:
    """Audit each exercise, print the kill matrix or JSON; unsound cases are exit code 2."""
    course = context.course
    slugs = [course.require(slug) for slug in options.slugs] or course.slugs
    reseeds = range(options.reseeds + 1)
    audited = list(_audit_all(course.root, slugs, reseeds))
    if options.format == "json":
        document = {"version": 1, "audits": [tables.data(audits) for audits in audited]}
        context.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")
    else:
        console = context.console()
        for audits in audited:
            tables.show(console, audits, every_row=options.verbose)
    sound = all(not audit.problems for audits in audited for audit in audits)
    return MET if sound else TO_FIX


def _audit_all(root: Path, slugs: Sequence[str], reseeds: Iterable[int]) -> Iterable[list[Audit]]:
    """Audit the exercises, each in a process of its own when there are several."""
    if len(slugs) < 2:
        yield from (audit_slug(root, slug, reseeds) for slug in slugs)
        return
    with ProcessPoolExecutor(len(slugs)) as pool:
        futures = [pool.submit(audit_slug, root, slug, reseeds) for slug in slugs]
        yield from (future.result() for future in futures)


def audit_slug(root: Path, slug: str, reseeds: Iterable[int]) -> list[Audit]:
    """Return one audit for each way to seed the inputs. Raises GraderError."""
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
