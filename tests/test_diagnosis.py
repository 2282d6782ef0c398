"""Diagnosis of learners' files that are written in other styles than `misconceptions.py`.

The first line of each file in `data/diagnosis/<slug>/` lists its misconceptions
(`# names: <id>[, <id>]`, or `# names: nothing`); the second line of a right file is `# passes`.
Each file is a test. `python tests/test_diagnosis.py` prints the diagnoses and the figures.
"""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import HERE, REPOSITORY, run_in

from grader.catalog import Course
from grader.dependencies import is_red
from grader.model import (
    Diagnosis,
    Implementation,
    Job,
    Misconception,
    Outlook,
    Report,
    Run,
)
from grader.options import GradingOptions
from grader.pipeline import ProblemGrader
from grader.runners.inprocess import InProcessRunner, execute

CORPUS = HERE / "data" / "diagnosis"
SLUGS = sorted(folder.name for folder in CORPUS.iterdir() if folder.is_dir())
LEAST_NAMED = 0.95
"""of the single mistakes of an exercise"""


@dataclass(frozen=True, slots=True)
class Specimen:
    """One file of the corpus: its misconceptions, and whether it is right."""

    slug: str
    path: Path
    names: tuple[str, ...]
    passes: bool

    @property
    def kind(self) -> str:
        """The kind by the header: right, unlisted, single or pair."""
        if not self.names:
            return "right" if self.passes else "unlisted"
        return "single" if len(self.names) == 1 else "pair"

    @classmethod
    def read(cls, path: Path) -> Specimen:
        """Read the header of a file."""
        lines = path.read_text("utf-8").splitlines()
        head, said = lines[0].split(": ", 1)
        assert head == "# names", f"{path}: the first line says which mistakes it makes"
        names = () if said == "nothing" else tuple(name.strip() for name in said.split(","))
        return cls(path.parent.name, path, names, lines[1] == "# passes")


SPECIMENS = [Specimen.read(path) for slug in SLUGS for path in sorted((CORPUS / slug).glob("*.py"))]


@functools.cache
def grader_of(slug: str) -> ProblemGrader:
    """Return one grader for all files of an exercise."""
    return ProblemGrader(Course(REPOSITORY), slug)


@functools.cache
def idea_of(slug: str) -> dict[str, str]:
    """Return the misconception ids, each with the id it is declared the same as, or itself."""
    grader = grader_of(slug)
    return {m.id: m.same_as or m.id for m in grader.course.misconceptions(grader.prepared.problem)}


@functools.cache
def graded(path: Path) -> Report:
    """Grade one file of the corpus, once."""
    with InProcessRunner() as runner:
        return grader_of(path.parent.name).grade(path, runner)


def diagnoses(report: Report) -> dict[str, Diagnosis]:
    """Return every diagnosis of a report by requirement, also undecided ones."""
    return {r.requirement.id: r.diagnosis for r in report.requirements if r.diagnosis}


def ideas_named(specimen: Specimen) -> set[str]:
    """Return the misconceptions that the report on a file names, under any requirement."""
    ideas = idea_of(specimen.slug)
    found = diagnoses(graded(specimen.path)).values()
    return {ideas[d.misconception] for d in found if d.misconception}


def ideas_made(specimen: Specimen) -> set[str]:
    """Return the misconceptions in a file's header."""
    return {idea_of(specimen.slug)[name] for name in specimen.names}


def of_kind(*kinds: str) -> pytest.MarkDecorator:
    """Parametrize a test over the files of the corpus of these kinds."""
    chosen = [specimen for specimen in SPECIMENS if specimen.kind in kinds]
    ids = [f"{specimen.slug}/{specimen.path.stem}" for specimen in chosen]
    return pytest.mark.parametrize("specimen", chosen, ids=ids)


# --- figures ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figures:
    """The numbers of an exercise's files of each kind, and of the diagnosed ones."""

    slug: str
    singles: int
    singles_named: int
    unnamed: tuple[str, ...]
    pairs: int
    pairs_both: int
    pairs_one: int
    silent: int
    wrong: int
    """diagnosed ids that the file's header does not list"""

    def __str__(self) -> str:
        lines = [
            f"{self.slug}",
            f"  single mistakes named right  {self.singles_named} of {self.singles}"
            f"  ({self.singles_named / self.singles:.1%})",
            f"  pairs of mistakes            {self.pairs}: both named {self.pairs_both},"
            f" one named {self.pairs_one}, none {self.pairs - self.pairs_both - self.pairs_one}",
            f"  right or unlisted files      {self.silent}",
            f"  wrong names                  {self.wrong}",
        ]
        return "\n".join(lines + [f"  not named: {line}" for line in self.unnamed])


def figures_of(slug: str) -> Figures:
    """Grade all files of an exercise and count."""
    mine = [s for s in SPECIMENS if s.slug == slug]
    named = {s.path: ideas_named(s) for s in mine}
    singles = [s for s in mine if s.kind == "single"]
    pairs = [s for s in mine if s.kind == "pair"]
    return Figures(
        slug,
        len(singles),
        sum(named[s.path] == ideas_made(s) for s in singles),
        tuple(f"{s.path.stem} ({s.names[0]})" for s in singles if named[s.path] != ideas_made(s)),
        len(pairs),
        sum(named[s.path] == ideas_made(s) for s in pairs),
        sum(bool(named[s.path]) and named[s.path] < ideas_made(s) for s in pairs),
        sum(not s.names for s in mine),
        sum(len(named[s.path] - ideas_made(s)) for s in mine),
    )


def cost_of(slug: str) -> str:
    """Return the time that diagnosis adds to grading the wrong files of an exercise, when warm."""
    paths = [s.path for s in SPECIMENS if s.slug == slug and not s.passes]
    for path in paths:
        graded(path)

    def seconds(grader: ProblemGrader) -> float:
        took = []
        with InProcessRunner() as runner:
            for _ in range(2):
                began = time.process_time()  # the load of other processes is not counted
                for path in paths:
                    grader.grade(path, runner)
                took.append(time.process_time() - began)
        return min(took) / len(paths)

    silent = seconds(ProblemGrader(Course(REPOSITORY), slug, GradingOptions(diagnoses=False)))
    naming = seconds(grader_of(slug))
    return (
        f"{slug}: grading a wrong file takes {naming * 1e3:.1f} ms with a diagnosis,"
        f" {silent * 1e3:.1f} ms without: {naming / silent:.2f} times,"
        f" {(naming - silent) * 1e3:.1f} ms more"
    )


def table(specimens: Sequence[Specimen]) -> Iterator[str]:
    """Yield a line for every file: its kind, its failed requirements, its diagnoses."""
    for specimen in specimens:
        report = graded(specimen.path)
        found = diagnoses(report)
        red = [
            f"{r.requirement.id}={found[r.requirement.id].misconception or '?'}"
            if r.requirement.id in found
            else r.requirement.id
            for r in report.requirements
            if is_red(r)
        ]
        made = ", ".join(specimen.names) or specimen.kind
        mark = "ok " if ideas_named(specimen) == ideas_made(specimen) else "-- "
        yield f"{mark} {specimen.path.stem} [{made}]: {'; '.join(red) or report.verdict}"


# --- tests ------------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", SLUGS)
def test_most_single_mistakes_are_diagnosed(slug: str) -> None:
    figures = figures_of(slug)
    assert figures.singles_named >= LEAST_NAMED * figures.singles, figures


@pytest.mark.parametrize("slug", SLUGS)
def test_the_corpus_has_the_documented_size(slug: str) -> None:
    kinds = [s.kind for s in SPECIMENS if s.slug == slug]
    assert kinds.count("single") >= 35
    assert kinds.count("pair") >= 10
    assert kinds.count("right") >= 12
    assert kinds.count("unlisted") >= 6


@of_kind("single", "pair")
def test_no_diagnosis_is_wrong(specimen: Specimen) -> None:
    assert any(is_red(result) for result in graded(specimen.path).requirements)
    assert ideas_named(specimen) <= ideas_made(specimen)


@of_kind("right")
def test_a_right_file_passes_without_a_diagnosis(specimen: Specimen) -> None:
    report = graded(specimen.path)
    assert [r.requirement.id for r in report.requirements if is_red(r)] == []
    assert report.verdict is Outlook.PASSED
    assert diagnoses(report) == {}


@of_kind("unlisted")
def test_an_unlisted_mistake_is_not_diagnosed(specimen: Specimen) -> None:
    assert any(is_red(result) for result in graded(specimen.path).requirements)
    assert ideas_named(specimen) == set()


class Alternative(InProcessRunner):
    """Runs a trusted function instead of the submission."""

    def __init__(self, function: Implementation) -> None:
        self.function = function

    def run(self, job: Job) -> Run:
        """Run the function on the calls."""
        return Run(execute(self.function, job.returns, job.calls))


@pytest.mark.parametrize("slug", SLUGS)
def test_alternatives_pass_without_a_diagnosis(slug: str) -> None:
    grader = grader_of(slug)
    alternatives = grader.course.alternatives(grader.prepared.problem)
    assert len(alternatives) >= 20
    for alternative in alternatives:
        report = grader.grade(Path(__file__), Alternative(alternative.implementation))
        assert (report.verdict, diagnoses(report)) == (Outlook.PASSED, {}), alternative.id


WRONG = CORPUS / "multi_head_attention" / "forgot-output-projection.py"


def graded_as_json(*options: str) -> list[object]:
    """Return the diagnoses in the JSON report on a wrong file."""
    ran = run_in(
        REPOSITORY,
        *("grade", str(WRONG), "--problem", "multi_head_attention"),
        *("--runner", "inprocess", "--format", "json", *options),
    )
    assert ran.code == 1, ran
    (report,) = json.loads(ran.out)["reports"]
    return [r["diagnosis"] for r in report["requirements"] if r["diagnosis"]]


def test_json_contains_the_misconceptions_id_and_hint() -> None:
    (diagnosis,) = graded_as_json()
    assert isinstance(diagnosis, dict)
    assert diagnosis["misconception"] == "wo-omitted"
    hints = {m.id: m.hint for m in misconceptions("multi_head_attention")}
    assert diagnosis["hint"] == hints["wo-omitted"]


def misconceptions(slug: str) -> Sequence[Misconception]:
    """Return the misconceptions of an exercise."""
    grader = grader_of(slug)
    return grader.course.misconceptions(grader.prepared.problem)


def test_no_diagnosis_option_gives_no_diagnoses() -> None:
    assert graded_as_json("--no-diagnosis") == []


if __name__ == "__main__":
    for exercise in SLUGS:
        print("\n".join(table([s for s in SPECIMENS if s.slug == exercise])), end="\n\n")
        print(figures_of(exercise))
        print(cost_of(exercise), end="\n\n")
