"""Every submission of the test data through every format; prints figures.

PYTHONPATH=tests python -m formats.corpus --attacks
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from formats.checkers import CONSUMERS
from grader import formats, runners
from grader.catalog import Course
from grader.model import Report
from grader.pipeline import ProblemGrader

REPOSITORY = Path(__file__).parents[2]
SUBMISSIONS = REPOSITORY / "tests" / "data" / "submissions"
DIAGNOSIS = REPOSITORY / "tests" / "data" / "diagnosis"


def files(*, diagnosis: bool) -> Iterator[tuple[str, Path]]:
    """Yield slug and file of every submission in `tests/data`, attacks aside."""
    for situation in sorted(SUBMISSIONS.glob("*/situation.yaml")):
        [slug] = re.findall(r"^problem: (\w+)$", situation.read_text("utf-8"), re.MULTILINE)
        yield from ((slug, path) for path in sorted(situation.parent.glob(f"{slug}.*")))
    for path in sorted(DIAGNOSIS.glob("*/*.py")) if diagnosis else []:
        yield path.parent.name, path


def reports(*, diagnosis: bool = True) -> Iterator[tuple[str, Report]]:
    """Yield the name and the report of every submission."""
    course = Course(REPOSITORY)
    graders = {slug: ProblemGrader(course, slug) for slug, _ in files(diagnosis=diagnosis)}
    runner, _ = runners.choose()
    with runner:
        for slug, path in files(diagnosis=diagnosis):
            yield str(path.relative_to(REPOSITORY)), graders[slug].grade(path, runner)


def attack_reports() -> Iterator[tuple[str, Report]]:
    """Yield the name and the report of every attack, each run in the confined runner only."""
    from attack_range import Range, attacks

    runner, _ = runners.choose("zygote", require_isolation=True)
    with Range() as range_, runner:
        for attack in attacks():
            yield attack.name, range_.grade(attack, runner).report


def complaints(found: list[Report]) -> list[str]:
    """Return the complaints of all consumers about these reports of one run."""
    texts = {name: formats.render(name, found) for name in formats.FORMATS}
    return [
        f"{consumer}: {line}"
        for name, consumer, check in CONSUMERS
        for line in check(texts[name], found)
    ]


def main() -> int:
    """Run from the command line; 1 when a consumer would misread something."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--attacks", action="store_true", help="the attacks as well (Linux)")
    options = parser.parse_args()
    named = list(reports()) + (list(attack_reports()) if options.attacks else [])
    wrong = [f"{name}: {line}" for name, report in named for line in complaints([report])]
    wrong += [f"all in one run: {line}" for line in complaints([report for _, report in named])]
    verdicts = Counter(str(report.verdict) for _, report in named)
    print(f"{len(named)} submissions, {len(CONSUMERS)} consumers, {dict(verdicts)}")
    print(f"misread: {len(wrong)}")
    for line in wrong[:20]:
        print(line[:300])
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
