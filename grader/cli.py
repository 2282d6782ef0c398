"""The command line: parse arguments, run a command, choose the exit code.

Only this module reads the environment. Commands write to the streams of their `Context`.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from grader import __version__, stopping
from grader.commands import TO_FIX, Context
from grader.commands.faults import exit_code

_WITHOUT_WARM_UP = ("--runner", "--export", "--dry-run", "--dask")
"""options with which no confined runner starts on this machine, or another runner"""

_Run = tuple[str, str, str]
"""(module in `grader.commands`, function, class of the options)"""

_Command = Callable[[str, str, str, _Run], argparse.ArgumentParser]
"""(name, description, example, run) -> parser of the subcommand"""

_EXIT_CODES = """\
exit codes: 0 every requirement is met; 1 some are not; 2 a mistake that you can fix;
3 a fault of the grader"""


def main(
    argv: Sequence[str],
    stdout: TextIO | None = None,
    stderr: TextIO | None = None,
    environment: dict[str, str] | None = None,
    cwd: Path | None = None,
) -> int:
    """Run one command and return its exit code."""
    context = Context(
        cwd=cwd or Path.cwd(),
        stdout=stdout or sys.stdout or io.StringIO(),  # None after `>&-`
        stderr=stderr or sys.stderr or io.StringIO(),
        environment=dict(os.environ) if environment is None else environment,
    )
    _warm_up(argv)
    for stream in (context.stdout, context.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")  # for characters that the locale lacks
    try:
        parsed = parser().parse_args(list(argv))
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else TO_FIX
    except ModuleNotFoundError as error:
        return exit_code(error, context)
    context.root = Path(parsed.root) if parsed.root else None
    return _call(parsed, context)


def _warm_up(argv: Sequence[str]) -> None:
    """Start the process that runs learner code, so that both processes load NumPy in parallel.

    This runs before the arguments are parsed, since parsing takes as long as the start. A command
    that does not need the process leaves it idle until this one ends.
    """
    starts = list(argv[:1]) in (["grade"], ["watch"], ["batch"])
    if starts and not any(word.startswith(_WITHOUT_WARM_UP) for word in argv):
        from grader.runners import launch

        launch.start()


def _call(parsed: argparse.Namespace, context: Context) -> int:
    try:
        stopping.begin()
        code = _run(parsed, context)
        context.stdout.flush()
    except (Exception, KeyboardInterrupt) as error:
        return exit_code(error, context)
    finally:
        stopping.finish()
    return code


def _run(parsed: argparse.Namespace, context: Context) -> int:
    from grader.options import parse

    module, function, options = parsed.run
    command = importlib.import_module(f"grader.commands.{module}")
    code: int = getattr(command, function)(parse(getattr(command, options), parsed), context)
    return code


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    root = argparse.ArgumentParser(
        prog="grader",
        description="Grade NumPy exercises: one line for each requirement of the statement.",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action="version", version=f"grader {__version__}")
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--root", metavar="DIR", help="the course (default: search upwards)")
    commands = root.add_subparsers(metavar="COMMAND", required=True, dest="command")

    def command(name: str, does: str, example: str, run: _Run) -> argparse.ArgumentParser:
        sub = commands.add_parser(
            name,
            help=does,
            description=does[0].upper() + does[1:] + ".",
            epilog=f"example: {example}",
            parents=[shared],
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(run=run)
        return sub

    _add_grade(command)
    _add_batch(command)
    _add_watch(command)
    _add_authoring(command)
    _add_browsing(command)
    return root


def _add_grade(command: _Command) -> None:
    from grader.formats import FORMATS

    grade = command(
        "grade",
        "grade your solutions, or the given exercises or files",
        "grader grade alice.py --problem multi_head_attention",
        ("grade", "run", "GradeOptions"),
    )
    grade.add_argument("targets", nargs="*", metavar="SLUG|FILE")
    grade.add_argument("--problem", metavar="SLUG", help="the exercise that the files solve")
    grade.add_argument("-v", "--verbose", action="store_true", help="show every failing case")
    grade.add_argument(
        "--format",
        choices=list(FORMATS),
        help="the format to print (default: terminal; in GitHub Actions also github)",
    )
    grade.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="also write the report in a format to a file; may be repeated",
    )
    grade.add_argument(
        "--with",
        dest="helpers",
        action="append",
        default=[],
        metavar="FILE",
        help="a file that the given files may import; may be repeated",
    )
    _add_grading(grade)
    _add_running(grade)


def _add_batch(command: _Command) -> None:
    from grader.batch import LAYOUTS

    batch = command(
        "batch",
        "grade a whole class; after an interruption, continue the run",
        "grader batch submissions.zip --problem multi_head_attention --output csv=grades.csv",
        ("batch", "run_batch", "BatchOptions"),
    )
    batch.add_argument("paths", nargs="*", metavar="PATH", help="a folder, a ZIP, or files")
    batch.add_argument(
        "--problem", metavar="SLUG", help="the exercise (default: all, by file name)"
    )
    batch.add_argument(
        "--jobs",
        type=_count,
        metavar="N",
        help="the number of workers (default: one for each core)",
    )
    batch.add_argument("--dask", metavar="ADDRESS", help="grade on a Dask cluster instead")
    batch.add_argument("--database", metavar="FILE", help="(default: .grader/batch.db)")
    batch.add_argument(
        "--layout", choices=LAYOUTS, help="how the files are named (default: detected)"
    )
    batch.add_argument(
        "--pattern", help="the names as a pattern, such as {learner}/{any}/{problem}.py"
    )
    batch.add_argument(
        "--skip-ambiguous", action="store_true", help="skip learners with several possible files"
    )
    batch.add_argument("--dry-run", action="store_true", help="only list learners and their files")
    batch.add_argument("--export", action="store_true", help="write reports without grading")
    batch.add_argument(
        "--output",
        action="append",
        default=[],
        metavar="NAME=PATH",
        help="write the class as csv or in a report format to a file; may be repeated",
    )
    batch.add_argument(
        "--reports",
        action="append",
        default=[],
        metavar="NAME=FOLDER",
        help="write a report for each learner in a format to a folder; may be repeated",
    )
    _add_grading(batch)
    _add_running(batch)


def _add_watch(command: _Command) -> None:
    watch = command(
        "watch",
        "grade on every save and show the changes",
        "grader watch multi_head_attention",
        ("watch", "run", "WatchOptions"),
    )
    watch.add_argument("slug", nargs="?", metavar="SLUG")
    _add_runner(watch)
    _add_reseed(watch)


def _add_grading(sub: argparse.ArgumentParser) -> None:
    """Add the options of `options.GradingOptions`."""
    sub.add_argument(
        "--cases", action="append", default=[], metavar="DIR", help="a folder with further cases"
    )
    sub.add_argument(
        "--hidden", action="store_true", help="hide the cases of --cases from the report"
    )
    sub.add_argument("--reveal", action="store_true", help="show hidden cases (for instructors)")
    sub.add_argument(
        "--no-diagnosis",
        dest="diagnoses",
        action="store_false",
        help="do not name misconceptions (for exams)",
    )
    _add_reseed(sub)


def _add_reseed(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--reseed",
        type=_seed,
        default=0,
        metavar="N",
        help="change the inputs: shift their seeds by N, apply the symmetries",
    )


def _add_running(sub: argparse.ArgumentParser) -> None:
    """Add the options of `options.RunningOptions`."""
    _add_runner(sub)
    sub.add_argument(
        "--require-isolation", action="store_true", help="exit with 2 if code cannot be confined"
    )


def _add_runner(sub: argparse.ArgumentParser) -> None:
    from grader.runners import RUNNERS

    sub.add_argument(
        "--runner", choices=["auto", *RUNNERS], default="auto", help="the isolation of learner code"
    )


def _add_authoring(command: _Command) -> None:
    new = command(
        "new",
        "write the files of a new exercise",
        "grader new running_mean",
        ("new", "run", "NewOptions"),
    )
    new.add_argument("slug", metavar="SLUG")
    check = command(
        "check",
        "check problem and case files and run the reference on them",
        "grader check multi_head_attention",
        ("check", "run", "CheckOptions"),
    )
    check.add_argument("slugs", nargs="*", metavar="SLUG")
    check.add_argument(
        "--no-starters",
        dest="starters",
        action="store_false",
        help="do not check solutions/: learners have changed the starters",
    )
    audit = command(
        "audit",
        "prove that the cases reject every misconception",
        "grader audit multi_head_attention --reseeds 0 -v",
        ("audit", "run", "AuditOptions"),
    )
    audit.add_argument("slugs", nargs="*", metavar="SLUG")
    audit.add_argument(
        "--reseeds",
        type=_seed,
        default=20,
        metavar="N",
        help="repeat with --reseed 1 to N (default: 20)",
    )
    audit.add_argument("--format", choices=["terminal", "json"], default="terminal")
    audit.add_argument("-v", "--verbose", action="store_true", help="show the complete kill matrix")


def _add_browsing(command: _Command) -> None:
    doctor = command(
        "doctor",
        "show what confines learner code on this machine",
        "grader doctor --format json",
        ("doctor", "run", "DoctorOptions"),
    )
    doctor.add_argument("--format", choices=["terminal", "json"], default="terminal")
    command("list", "list the exercises", "grader list", ("browse", "run_list", "ListOptions"))
    show = command(
        "show",
        "show the statement of an exercise",
        "grader show multi_head_attention",
        ("browse", "run_show", "ShowOptions"),
    )
    show.add_argument("slug", metavar="SLUG")
    hint = command(
        "hint",
        "show the next hint for an exercise, or hint N",
        "grader hint multi_head_attention 2",
        ("browse", "run_hint", "HintOptions"),
    )
    hint.add_argument("slug", metavar="SLUG")
    hint.add_argument("number", nargs="?", type=int, metavar="N")


def _seed(text: str) -> int:
    return _whole(text, 0, 2**31 - 1)


def _count(text: str) -> int:
    return _whole(text, 1, 1024)


def _whole(text: str, least: int, most: int) -> int:
    if not text.isascii() or not text.isdigit() or not least <= int(text[:20]) <= most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} to {most}")
    return int(text)
