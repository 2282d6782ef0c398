"""`grader new SLUG`: the files of a new exercise."""

from __future__ import annotations

from dataclasses import dataclass

from grader import scaffold
from grader.commands import MET, Context


@dataclass(frozen=True, slots=True)
class NewOptions:
    """The name of the new exercise."""

    slug: str


def run(options: NewOptions, context: Context) -> int:
    """Write the files, name them, and say what comes next."""
    course = context.course
    for path in scaffold.write(course, options.slug):
        context.say(course.shown(path))
    command, slug = context.command, options.slug
    context.say(f"Now: edit these, then `{command} check {slug}` and `{command} audit {slug}`.")
    return MET
