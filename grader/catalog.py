"""Find the files of a problem by its slug. Only this module knows the layout of a course."""

from __future__ import annotations

import hashlib
import importlib
import linecache
import re
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from grader.errors import AuthorError, Complaint, Location, UsageError, nearest, unknown_name
from grader.loading import load_problem
from grader.loading.cases import CaseFile
from grader.loading.problem import shown
from grader.model import Alternative, Implementation, Misconception, Problem


@dataclass(frozen=True, slots=True)
class ExtraCases:
    """A folder of additional cases (`--cases`): its case files, or those in a subfolder SLUG."""

    folder: Path
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Course:
    """The folders `problems`, `cases` and `solutions` below one root."""

    root: Path

    @staticmethod
    def find(start: Path) -> Course:
        """Return the course in `start` or the nearest folder above it. Raises UsageError."""
        start = start.resolve()
        for folder in [start, *start.parents]:
            if _is_course(folder):
                return Course(folder)
        raise UsageError(
            f"no course here: no folder 'problems' beside 'cases' in {start} or above it."
            " Go to the course's folder or pass --root DIR."
        )

    @staticmethod
    def at(root: Path) -> Course:
        """Return the course in `root`. Raises UsageError if there is none."""
        if _is_course(root):
            return Course(root.resolve())
        raise UsageError(f"no course in {root}: it needs the folders 'problems' and 'cases'")

    @property
    def slugs(self) -> list[str]:
        """The slugs of all problems, sorted."""
        folders = self.root / "problems"
        return sorted(p.parent.name for p in folders.glob("*/problem.yaml"))

    def require(self, slug: str) -> str:
        """Return `slug` if there is such a problem. Raises UsageError with the nearest slug."""
        if slug in self.slugs:
            return slug
        folder = self.problem_folder(slug)
        if slug.isidentifier() and folder.is_dir():
            raise UsageError(f"{self.shown(folder)} has no problem.yaml")
        raise unknown_name(f"no exercise {slug!r}", slug, self.slugs)

    def shown(self, path: Path) -> str:
        """Return a path for reports: relative to the root if it lies below it."""
        return shown(path, self.root)

    def problem_folder(self, slug: str) -> Path:
        """Return the folder of a problem's own files."""
        return self.root / "problems" / slug

    def solution(self, slug: str) -> Path:
        """Return the path of the learner's solution."""
        return self.root / "solutions" / f"{slug}.py"

    def statement(self, slug: str) -> str:
        """Return the statement in Markdown. Raises AuthorError if it cannot be read."""
        path = self.problem_folder(slug) / "statement.md"
        try:
            return path.read_text("utf-8")
        except FileNotFoundError:
            message = "is missing"
        except OSError as error:
            message = f"cannot be read: {error.strerror}"
        except UnicodeDecodeError:
            message = "is not UTF-8 text"
        raise AuthorError(Complaint(message, Location(self.shown(path), 1, 1)))

    def case_files(self, slug: str, extra: Iterable[ExtraCases] = ()) -> list[CaseFile]:
        """Return the case files of a problem, sorted by name, then those of the `extra` folders.

        Raises UsageError if an extra folder has no case file for the problem.
        """
        files = [CaseFile(path) for path in sorted(self._yaml_in(self.root / "cases" / slug))]
        for folder in extra:
            inside = folder.folder / slug
            paths = sorted(self._yaml_in(inside if inside.is_dir() else folder.folder))
            if not paths:
                raise UsageError(
                    f"--cases {folder.folder}: no .yaml file for {slug} in this folder"
                )
            files += [CaseFile(path, folder.hidden) for path in paths]
        return files

    def load(self, slug: str, extra: Iterable[ExtraCases] = ()) -> Problem:
        """Return a problem with its cases. Raises AuthorError, UsageError."""
        self.require(slug)
        files = self.case_files(slug, extra)
        return load_problem(slug, self.problem_folder(slug), files, self.root)

    def reference(self, problem: Problem) -> Implementation:
        """Return the reference implementation. Raises AuthorError if there is none."""
        reference: Implementation = self._defined(
            problem, "reference", problem.entry_point, callable, "a function"
        )
        return reference

    def misconceptions(self, problem: Problem) -> tuple[Misconception, ...]:
        """Return the misconceptions; none without `misconceptions.py`. Raises AuthorError."""
        misconceptions = self._defined_list(
            problem, "misconceptions", "MISCONCEPTIONS", Misconception
        )
        known = [r.id for r in problem.requirements]
        ids = [m.id for m in misconceptions]
        complaints = [
            Complaint(
                f"{m.id!r} violates the unknown requirement {m.violates!r}",
                self._place(problem, "misconceptions", m.violates),
                advice=nearest(m.violates, known),
            )
            for m in misconceptions
            if m.violates not in known
        ] + [
            Complaint(
                f"{m.id!r} is the same as the unknown {m.same_as!r}",
                self._place(problem, "misconceptions", m.same_as),
                advice=nearest(m.same_as, ids),
            )
            for m in misconceptions
            if m.same_as is not None and m.same_as not in ids
        ]
        if complaints:
            raise AuthorError(*complaints)
        return misconceptions

    def alternatives(self, problem: Problem) -> tuple[Alternative, ...]:
        """Return the alternatives; none without `alternatives.py`. Raises AuthorError."""
        return self._defined_list(problem, "alternatives", "ALTERNATIVES", Alternative)

    def orphans(self) -> list[tuple[str, str, str]]:
        """Return (path, message, advice) of each file or folder that belongs to no problem."""
        slugs = self.slugs
        orphans = [
            (
                p / "problem.yaml",
                "is missing",
                "Each folder in problems/ is an exercise: write this file or remove the folder.",
            )
            for p in sorted((self.root / "problems").iterdir())
            if p.is_dir() and p.name not in slugs and not p.name.startswith((".", "__"))
        ]
        cases = self.root / "cases"
        for path in sorted(cases.rglob("*")):
            inside = path.relative_to(cases).parts
            if not path.is_file() or path.name.startswith("."):
                continue
            if inside[0] not in slugs:
                advice = f"Case files are cases/SLUG/*.yaml. {nearest(inside[0], slugs)}"
                orphans.append((path, "belongs to no exercise", advice))
            elif len(inside) != 2 or path.suffix not in (".yaml", ".yml"):
                advice = f"Case files are cases/{inside[0]}/*.yaml."
                orphans.append((path, "is not read as a case file", advice))
        return [(self.shown(path), message, advice) for path, message, advice in orphans]

    @staticmethod
    def _yaml_in(folder: Path) -> list[Path]:
        return [*folder.glob("*.yaml"), *folder.glob("*.yml")]

    def _place(self, problem: Problem, module: str, word: str = "") -> Location:
        """Return the first place of `word` in a module, quoted or at the start of a line.

        Without such a place, return the start of the module.
        """
        path = problem.folder / f"{module}.py"
        shown = self.shown(path)
        lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
        for number, line in enumerate(lines, 1):
            match = re.search(rf"""(["']){re.escape(word)}\1|^{re.escape(word)}\b""", line)
            if word and match:
                return Location(shown, number, match.start() + 1, line)
        return Location(shown, 1, 1)

    def _defined_list(
        self, problem: Problem, module: str, name: str, kind: type[Any]
    ) -> tuple[Any, ...]:
        if not (problem.folder / f"{module}.py").exists():
            return ()

        def is_list(value: Any) -> bool:
            return isinstance(value, list | tuple) and all(isinstance(v, kind) for v in value)

        items = self._defined(problem, module, name, is_list, f"a list of {kind.__name__}")
        ids = [item.id for item in items]
        twice = sorted({id for id in ids if ids.count(id) > 1})
        if twice:
            message = f"ids used twice: {', '.join(twice)}"
            raise AuthorError(Complaint(message, self._place(problem, module, twice[0])))
        return tuple(items)

    def _defined(self, problem: Problem, module: str, name: str, fits: Any, kind: str) -> Any:
        loaded = self._module(problem, module)
        value = getattr(loaded, name, None)
        if not fits(value):
            message = f"must define {name} as {kind}"
            defined = [n for n in vars(loaded) if not n.startswith("_") and n != name]
            advice = nearest(name, defined) if value is None else ""
            raise AuthorError(Complaint(message, self._place(problem, module, name), advice))
        return value

    def _module(self, problem: Problem, module: str) -> ModuleType:
        """Import a module of a problem. The folder is a package, so its files can share code."""
        folder = problem.folder.resolve()
        package = f"_problem_{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}"
        if package not in sys.modules:
            holder = ModuleType(package)
            holder.__path__ = [str(folder)]
            sys.modules[package] = holder
        place = self._place(problem, module)
        if not (folder / f"{module}.py").is_file():
            raise AuthorError(Complaint("is missing", place))
        try:
            return importlib.import_module(f"{package}.{module}")
        except SyntaxError as error:
            place = Location(
                self.shown(Path(error.filename or place.path)),
                error.lineno or 1,
                error.offset or 1,
                (error.text or "").rstrip(),
            )
            raise AuthorError(Complaint(f"invalid Python: {error.msg}", place)) from None
        except Exception as error:
            frames = [
                f
                for f in traceback.extract_tb(error.__traceback__)
                if f.filename.startswith(str(folder))
            ]
            if frames:
                last = frames[-1]
                line, column = last.lineno or 1, (last.colno or 0) + 1
                place = Location(self.shown(Path(last.filename)), line, column, _line_of(last))
            message = f"cannot be imported: {type(error).__name__}: {error}"
            raise AuthorError(Complaint(message, place)) from None


def _is_course(folder: Path) -> bool:
    return (folder / "problems").is_dir() and (folder / "cases").is_dir()


def _line_of(frame: traceback.FrameSummary) -> str:
    return linecache.getline(frame.filename, frame.lineno or 1).rstrip()
