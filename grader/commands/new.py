"""`grader new SLUG`: write the files of a new exercise."""

from __future__ import annotations

from dataclasses import dataclass

from grader import scaffold
from grader.commands import MET, Context


@dataclass(frozen=True, slots=True)
class NewOptions:
    """The name of the new exercise."""

    slug: str


def run(options: NewOptions, context: Context) -> int:
    """Write the files of the exercise and print their paths and the next commands."""
    course = context.course
    for path in scaffold.write(course, options.slug):
        context.say(course.shown(path))
    command, slug = context.command, options.slug
    context.say(
        f"Next: edit these files, then run `{command} check {slug}` and `{command} audit {slug}`."
    )
    return MET
