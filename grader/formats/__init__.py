"""Render reports: one module for each format, and one table of them.

A format's module has `render(reports) -> str` and `ENDING`, the ending of a file in that format.
The terminal format depends on width and colour and is usually printed through a console; its
`render` returns it without colour.
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


def ending(name: str) -> str:
    """Return the ending of files in one format of `FORMATS`: `.json`."""
    text: str = importlib.import_module(FORMATS[name]).ENDING
    return text


def render(name: str, reports: Sequence[Report]) -> str:
    """Return the reports in one format of `FORMATS`. Raises KeyError for any other name."""
    text: str = importlib.import_module(FORMATS[name]).render(reports)
    return text
