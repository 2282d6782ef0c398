"""`make bench`: measure the grader against its peers and write docs/benchmarks.md.

Every figure is a ratio of two things measured in turns in this one run, as the median over the
pairs; the milliseconds beside it are this machine's.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import material
import memory
import numpy as np
import peers
import yaml
from material import REPOSITORY, SLUG, write_course

from grader import grading
from grader.catalog import Course
from grader.compare import array_of
from grader.grading import PreparedProblem
from grader.model import Submission
from grader.pipeline import ProblemGrader
from grader.runners.zygote import ZygoteRunner

_OUTPUT = REPOSITORY / "docs" / "benchmarks.md"


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the result."""

    what: str
    ratio: float
    target: str
    met: bool | None
    detail: str


def main() -> int:
    """Measure the requested parts, print the figures and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=15, help="how often each pair is measured")
    parser.add_argument("--quick", action="store_true", help="few pairs; write nothing")
    options = parser.parse_args()
    pairs = 3 if options.quick else options.pairs
    # Installations contain compiled files; without them every program would compile first.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory(prefix="grader-bench-") as scratch:
        root = Path(scratch)
        figures = [
            *whole_process(root, pairs),
            *warm_submission(root, pairs),
            hidden_cases(root, pairs),
            *batches(root, 40 if options.quick else 200),
            *growth(root, pairs),
            save_to_verdict(root, pairs),
            *memory.figures(root),
        ]
    text = page(figures, pairs)
    print(text)
    if not options.quick:
        _OUTPUT.write_text(text, "utf-8")
    return 0


def whole_process(root: Path, pairs: int) -> list[Figure]:
    """Time one submission of 12 cases, from the start of the process to its end."""
    course = write_course(root / "one", 12)
    tests, naive = peers.write_scripts(course)
    commands = {
        "grade": peers.python("-m", "grader", "grade", "--root", str(course)),
        "imports": peers.python("-c", "import numpy, yaml, rich"),
        "naive": peers.python(str(naive)),
        "pytest": peers.python("-m", "pytest", "-q", str(tests)),
        "pytest with plug-ins": peers.python("-m", "pytest", "-q", str(tests)),
    }
    work = {name: _command(command) for name, command in commands.items()}
    work["pytest"] = _command(commands["pytest"], PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    seconds = in_turns(work, pairs)
    return [
        against(
            seconds,
            "grade",
            "pytest",
            "one `grader grade` / `python -m pytest`, plug-ins off",
            0.45,
        ),
        against(
            seconds,
            "grade",
            "pytest with plug-ins",
            "one `grader grade` / the same, with the plug-ins of the dev extra",
        ),
        against(seconds, "grade", "imports", "one `grader grade` / bare imports", 1.35),
        against(seconds, "grade", "naive", "one `grader grade` / naive script, no isolation"),
    ]


def warm_submission(root: Path, pairs: int) -> list[Figure]:
    """One submission through a warm runner, against a bare fork that does the calls."""
    grader = ProblemGrader(Course(write_course(root / "warm", 12)), SLUG)
    submission = Submission("submission.py", material.RIGHT.encode())
    calls = [call.arguments for call in grader.prepared.calls]
    with ZygoteRunner() as runner:

        def ours() -> None:
            grading.grade(grader.prepared, submission, "submission.py", runner)

        def bare() -> None:
            subprocess.run(bare_command, check=True, stdout=subprocess.PIPE)

        bare_command = peers.python(str(Path(__file__).with_name("bare.py")), str(root / "warm"))
        for _ in range(5):
            ours()
        bares = float(subprocess.run(bare_command, check=True, stdout=subprocess.PIPE).stdout)
        ratios, ourses, bares_seen = [], [], [bares]
        for _ in range(pairs):
            bares = float(subprocess.run(bare_command, check=True, stdout=subprocess.PIPE).stdout)
            started = time.perf_counter()
            for _ in range(20):
                ours()
            each = (time.perf_counter() - started) / 20
            ratios.append(each / bares)
            ourses.append(each)
            bares_seen.append(bares)
    assert len(calls) == 12
    return [
        figure(
            "a warm submission of 12 cases, confined / bare fork, compile, 12 calls",
            statistics.median(ratios),
            1.4,
            f"{_ms(ourses)} against {_ms(bares_seen)}",
        )
    ]


def hidden_cases(root: Path, pairs: int) -> Figure:
    """One warm submission whose hidden cases run in a second child, against one child for all."""
    grader = ProblemGrader(Course(write_course(root / "hidden", 12)), SLUG)
    submission = Submission("submission.py", material.RIGHT.encode())
    prepared = grader.prepared
    calls = tuple(replace(call, hidden=n % 2 == 1) for n, call in enumerate(prepared.calls))
    both = {"no hidden case": prepared, "half hidden": replace(prepared, calls=calls)}
    with ZygoteRunner() as runner:

        def work(each: PreparedProblem) -> Callable[[], None]:
            def twenty() -> None:
                for _ in range(20):
                    grading.grade(each, submission, "submission.py", runner)

            return twenty

        seconds = in_turns({name: work(each) for name, each in both.items()}, pairs)
    each = {name: [time / 20 for time in times] for name, times in seconds.items()}
    return against(
        each, "half hidden", "no hidden case", "a warm submission with 6 hidden of 12 cases / none"
    )


def batches(root: Path, count: int) -> list[Figure]:
    """Many submissions through `grader batch`, against processes and EvalPlus' core."""
    course = write_course(root / "many", 12)
    grader = ProblemGrader(Course(course), SLUG)
    good = [material.RIGHT] * count
    bad = max(1, count // 50)
    mixed = list(good)
    for index in range(bad):
        mixed[index * (count // bad)] = material.HANGING
        mixed[index * (count // bad) + 3] = material.CRASHING
    ours_good = grade_all(course, root / "good", good)
    ours_mixed = grade_all(course, root / "mixed", mixed)
    tests, _ = peers.write_scripts(course)
    few = root / "few"
    few.mkdir()
    files = []
    for index in range(10):
        files.append(few / f"s{index}.py")
        files[-1].write_text(material.RIGHT)
    pytest_each = peers.run_each([peers.python("-m", "pytest", "-q", str(tests))], files, 60) / 10
    many = root / "submissions"
    many.mkdir()
    for index in range(count):
        (many / f"s{index}.py").write_text(material.RIGHT)
    xdist = peers.xdist(course, many)
    rate = count / ours_good
    figures = [
        figure(
            f"{count} right submissions / one pytest process for each",
            pytest_each / (ours_good / count),
            40,
            f"{rate:.0f} a second against {1 / pytest_each:.1f}",
            more=True,
        ),
        Figure(
            f"{count} right submissions / pytest-xdist, two workers",
            xdist / ours_good,
            "",
            None,
            f"{ours_good:.2f} s against {xdist:.2f} s",
        ),
        figure(
            f"{count} submissions, {bad} hanging: additional time",
            ours_mixed - ours_good,
            grader.prepared.problem.limits.seconds + 1.5,
            f"seconds; {ours_mixed:.2f} s against {ours_good:.2f} s, one limit is"
            f" {grader.prepared.problem.limits.seconds:g} s",
        ),
    ]
    if peers.evalplus():
        inputs = [list(call.arguments) for call in grader.prepared.calls]
        answers = [grader.prepared.answer(case) for case in grader.prepared.problem.cases]
        expected = [tuple(array_of(v).tolist() for v in answer.values) for answer in answers]
        theirs_good = peers.evalplus_batch(good, inputs, expected)
        theirs_mixed = peers.evalplus_batch(mixed, inputs, expected)
        figures += [
            figure(f"{count} right submissions / EvalPlus' core", theirs_good / ours_good, 2,
                   f"{ours_good:.2f} s against {theirs_good:.2f} s", more=True),
            figure(f"{count} submissions, 2 % hanging, 2 % crashing / EvalPlus' core",
                   theirs_mixed / ours_mixed, 1.7,
                   f"{ours_mixed:.2f} s against {theirs_mixed:.2f} s", more=True),
        ]  # fmt: skip
    return figures


def growth(root: Path, pairs: int) -> list[Figure]:
    """Measure the cost of more cases and of larger arrays."""
    seconds = {}
    for count in (12, 120, 1200):
        course = write_course(root / f"cases-{count}", count, small=True)
        command = peers.python("-m", "grader", "grade", "--root", str(course), "--format", "json")
        seconds[count] = _times(_command(command), min(pairs, 7))
    medians = {count: statistics.median(times) for count, times in seconds.items()}
    each = (medians[1200] - medians[120]) / 1080 * 1000
    figures = [
        figure(
            "one more small case, including its YAML",
            each,
            0.15,
            "ms; whole runs: "
            + ", ".join(f"{n} cases {m * 1000:.0f} ms" for n, m in medians.items()),
        )
    ]
    sizes = {}
    for tokens in (16, 128, 512):
        grader = ProblemGrader(Course(write_course(root / f"n-{tokens}", 1, size=tokens)), SLUG)
        submission = Submission("submission.py", material.RIGHT.encode())
        with ZygoteRunner() as runner:
            work = _grading(grader, submission, runner)
            work()
            sizes[tokens] = statistics.median(_times(work, min(pairs, 9)))
    largest = sizes[512] / sizes[16]
    detail = ", ".join(f"{n} tokens {s * 1000:.1f} ms" for n, s in sizes.items())
    figures.append(Figure("512 tokens / 16 tokens, 8 heads, one case", largest, "", None, detail))
    return figures


def _grading(
    grader: ProblemGrader, submission: Submission, runner: ZygoteRunner
) -> Callable[[], None]:
    def work() -> None:
        grading.grade(grader.prepared, submission, "submission.py", runner)

    return work


def save_to_verdict(root: Path, pairs: int) -> Figure:
    """Time from a save to the line with its verdict in `grader watch`."""
    course = write_course(root / "watched", 12)
    path = course / "solutions" / f"{SLUG}.py"
    watch = subprocess.Popen(
        peers.python("-u", "-m", "grader", "watch", SLUG, "--root", str(course)),
        stdout=subprocess.PIPE,
        env=_environment(),
        text=True,
    )
    assert watch.stdout
    times = []
    try:
        watch.stdout.readline()
        for number in range(pairs):
            time.sleep(0.1)
            # Right and wrong alternate, so that each line can only be about this save.
            is_right = number % 2 == 1
            text = material.RIGHT if is_right else material.RIGHT.replace("@ W_o", "@ W_o + 1")
            started = time.perf_counter()
            path.write_text(text)
            while f"{int(is_right)} of 1 points" not in watch.stdout.readline():
                continue
            times.append(time.perf_counter() - started)
    finally:
        watch.terminate()
        watch.wait()
    middle = statistics.median(times) * 1000
    return figure("from save to verdict in `grader watch`", middle, 150, "ms, 12 cases")


def grade_all(course: Path, place: Path, sources: Sequence[str]) -> float:
    """Grade the sources, each of another learner, with `grader batch`; return its seconds."""
    material.write_class(place, sources)
    started = time.perf_counter()
    done = subprocess.run(
        material.batch_command(course, place), env=_environment(), capture_output=True, text=True
    )
    assert done.returncode in (0, 1), done.stderr
    return time.perf_counter() - started


def in_turns(work: dict[str, Callable[[], None]], pairs: int) -> dict[str, list[float]]:
    """Time each piece of work once in every round."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for function in work.values():
        function()
    for _ in range(pairs):
        for name, function in work.items():
            seconds[name] += _times(function, 1)
    return seconds


def against(
    seconds: dict[str, list[float]], ours: str, theirs: str, what: str, target: float | None = None
) -> Figure:
    """Return the median of the paired ratios."""
    ratios = [a / b for a, b in zip(seconds[ours], seconds[theirs], strict=True)]
    detail = f"{_ms(seconds[ours])} against {_ms(seconds[theirs])}"
    return figure(what, statistics.median(ratios), target, detail)


def figure(
    what: str, ratio: float, target: float | None, detail: str, *, more: bool = False
) -> Figure:
    """Return a figure beside its target: at most, or with `more` at least."""
    if target is None:
        return Figure(what, ratio, "", None, detail)
    met = ratio >= target if more else ratio <= target
    return Figure(what, ratio, f"{'at least' if more else 'at most'} {target:g}", met, detail)


def page(figures: Sequence[Figure], pairs: int) -> str:
    """Return the page of results."""
    rows = "".join(
        f"| {f.what} | {f.ratio:.3g} | {f.target} | {_mark(f.met)} | {f.detail} |\n"
        for f in figures
    )
    return f"""\
# Benchmarks

`make bench` writes this page. Each ratio is the median over {pairs} pairs, measured alternately in
one run with full confinement. Times depend on the machine.

Machine: {os.cpu_count()} cores, {platform.machine()}, {platform.system()} {platform.release()};
Python {platform.python_version()}, NumPy {np.__version__}, PyYAML {yaml.__version__}.

| what | figure | target | met | measured |
|---|---|---|---|---|
{rows}"""


def _mark(met: bool | None) -> str:
    return "" if met is None else "yes" if met else "**no**"


def _command(command: Sequence[str], **more: str) -> Callable[[], None]:
    environment = _environment() | more

    def work() -> None:
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)

    return work


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(REPOSITORY)}


def _times(work: Callable[[], None], repeat: int) -> list[float]:
    times = []
    for _ in range(repeat):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return times


def _ms(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds) * 1000:.3g} ms"


if __name__ == "__main__":
    sys.exit(main())
