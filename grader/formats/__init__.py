"""Render reports: one module for each format, and one table of them.

A format's module has `render(reports) -> str`. The terminal format depends on width and colour
and is usually printed through a console; its `render` returns it without colour.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from grader.model import Report

FORMATS: dict[str, str] = {
    "terminal": "grader.formats.terminal",
    "json": "grader.formats.json",
    "junit": "grader.formats.junit",
    "github": "grader.formats.github",
    "markdown": "grader.formats.markdown",
    "gradescope": "grader.formats.gradescope",
    "classroom": "grader.formats.classroom",
}
"""name of the format -> its module, imported on first use"""


def render(name: str, reports: Sequence[Report]) -> str:
    """Return the reports in one format of `FORMATS`. Raises KeyError for any other name."""
    text: str = importlib.import_module(FORMATS[name]).render(reports)
    return text
