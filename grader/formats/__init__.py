"""Report to output: one module for each format, and one table.

A format's module has `render(reports) -> str`. The terminal's is printed through a console
instead, since it depends on width and colour; as text it is what a terminal without colour shows.
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
"""Name of the format -> its module, imported when it is used."""


def render(name: str, reports: Sequence[Report]) -> str:
    """Return the reports in one format of `FORMATS`."""
    text: str = importlib.import_module(FORMATS[name]).render(reports)
    return text
