"""Exports of learning platforms as test data: `tests/data/exports/<name>/files.txt`.

A line is `path => owners`: learners, `nobody` (a file that is not a submission), `nothing LEARNER`
(a learner without a file), `earlier LEARNER` (not the last attempt), `also LEARNER` (a module that
the solution imports).
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.batch import gradescope
from grader.batch.assign import Assignment, assign
from grader.batch.handed_in import Wish
from grader.batch.sources import Tree

HERE = Path(__file__).parents[1] / "data" / "exports"
EXPORTS = sorted(path.name for path in HERE.iterdir())
NOTEBOOK = json.dumps({"cells": [], "nbformat": 4, "nbformat_minor": 5, "metadata": {}})


@dataclass(frozen=True, slots=True)
class Export:
    """One export: the name of its folder or ZIP, its files, and their owners."""

    source: str
    files: dict[str, str]
    """path -> content"""
    owners: dict[str, str]
    """learner -> path, or '' when nothing was handed in"""

    def folder(self, place: Path) -> Path:
        """Write the files below `place`; return the export's folder."""
        root = place / self.source
        for path, content in self.files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content, "utf-8")
        return root

    def zip(self, place: Path, *, inside: str = "") -> Path:
        """Write the files into a ZIP in `place`, below the folder `inside`; return its path."""
        file = place / f"{self.source}.zip"
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
            for path, content in self.files.items():
                out.writestr(inside + path, content)
        return file


def read(name: str) -> Export:
    """Return the export `name`."""
    head, *lines = (HERE / name / "files.txt").read_text("utf-8").splitlines()
    files: dict[str, str] = {}
    owners: dict[str, str] = {}
    for line in lines:
        if line.startswith("#"):
            continue
        path, _, who = line.partition(" => ")
        data = HERE / name / path
        text = f"# {path}\n" if path.endswith(".py") else NOTEBOOK
        files[path] = data.read_text("utf-8") if data.is_file() else text
        if who.startswith("nothing "):
            owners[who.removeprefix("nothing ")] = ""
        elif not who.startswith(("nobody", "earlier ", "also ")):
            owners |= dict.fromkeys(who.split(", "), path)
    return Export(head.removeprefix("source: "), files, owners)


def assigned(tree: Tree, **wish: Any) -> Assignment:
    """Assign the files of a tree, in a course with the exercise `projection`."""
    wanted = Wish(("projection",), ("projection",), **wish)
    return assign(tree.name, tree.entries, wanted, gradescope.people_of(tree))
