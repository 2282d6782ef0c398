"""`grader check`: check the files of a course."""

from __future__ import annotations

from dataclasses import dataclass

from grader import checking, runners
from grader.commands import MET, TO_FIX, Context
from grader.errors import AuthorError


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The exercises to check, and whether `solutions` holds their starters; no slug means all."""

    slugs: tuple[str, ...]
    starters: bool


def run(options: CheckOptions, context: Context) -> int:
    """Print a line for each exercise without complaints. Raises AuthorError with all complaints."""
    course = context.course
    slugs = [course.require(slug) for slug in options.slugs] or course.slugs
    complaints = [] if options.slugs else checking.orphan_complaints(course)
    runner, _ = runners.choose("process", require_isolation=False)
    with runner:
        for slug in slugs:
            checkup = checking.check(course, slug, runner, starters=options.starters)
            complaints += checkup.complaints
            if not checkup.complaints:
                print(
                    f"{slug}: {checkup.requirements} requirements, {checkup.cases} cases,"
                    f" {checkup.published_numbers} published numbers agree"
                    f"{', the starter fails' if options.starters else ''}",
                    file=context.stdout,
                )
    if complaints:
        raise AuthorError(*complaints)
    if not slugs:
        context.tell(f"no exercise in {course.root / 'problems'}")
        return TO_FIX
    return MET
