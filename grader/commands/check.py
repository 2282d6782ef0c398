"""`grader check`: check the files of a course."""

from __future__ import annotations

from dataclasses import dataclass

from grader import checking, runners
from grader.commands import MET, TO_FIX, Context
from grader.errors import AuthorError


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The exercises to check; none means all."""

    slugs: tuple[str, ...]


def run(options: CheckOptions, context: Context) -> int:
    """Print a line for each exercise without complaints. Raises AuthorError with all complaints."""
    course = context.course
    slugs = [course.require(slug) for slug in options.slugs] or course.slugs
    complaints = [] if options.slugs else checking.orphan_complaints(course)
    runner, _ = runners.choose("process", require_isolation=False)
    with runner:
        for slug in slugs:
            checkup = checking.check(course, slug, runner)
            complaints += checkup.complaints
            if not checkup.complaints:
                print(
                    f"{slug}: {checkup.requirements} requirements, {checkup.cases} cases,"
                    f" {checkup.published_numbers} published numbers agree, the starter fails",
                    file=context.stdout,
                )
    if complaints:
        raise AuthorError(*complaints)
    if not slugs:
        context.tell(f"no exercise in {course.root / 'problems'}")
        return TO_FIX
    return MET
