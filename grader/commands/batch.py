"""`grader batch`: grade a class, continue an interrupted run, and write the results."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader import formats, runners
from grader.batch import run
from grader.batch.database import Database, Edition
from grader.batch.handed_in import Wish
from grader.batch.progress import Bar, Display, Lines
from grader.batch.snapshot import Snapshot, grader_version, take
from grader.batch.sources import open_trees
from grader.batch.task import Executor
from grader.commands import MET, Context, batch_plan, batch_results
from grader.commands.batch_results import Outputs
from grader.commands.publish import read_places
from grader.errors import UsageError
from grader.options import GradingOptions, RunningOptions
from grader.runners import Reached


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """The submissions of a class, how and where to grade them, and the files to write."""

    paths: tuple[str, ...]
    problem: str | None
    jobs: int | None
    dask: str | None
    database: str | None
    layout: str | None
    pattern: str | None
    skip_ambiguous: bool
    dry_run: bool
    export: bool
    output: tuple[str, ...]
    reports: tuple[str, ...]
    grading: GradingOptions
    running: RunningOptions


def run_batch(options: BatchOptions, context: Context) -> int:
    """Grade the submissions that have no result yet, then write the files and print the tables."""
    outputs = Outputs(
        read_places(options.output, "--output", ("csv", *formats.FORMATS), context.cwd),
        read_places(options.reports, "--reports", formats.FORMATS, context.cwd),
        options.grading.reveal,
    )
    if options.export and (options.paths or options.dry_run):
        raise UsageError("--export only writes stored results: remove PATH and --dry-run")
    if not options.export and not options.paths:
        raise UsageError("no submissions given: name a folder, a ZIP or files")
    if options.export:
        with Database(_database_path(options, context), create=False) as database:
            problems = [options.problem] if options.problem else []
            return batch_results.publish(database, problems, run.Trouble(), outputs, context)
    return _run(options, outputs, context)


def _run(options: BatchOptions, outputs: Outputs, context: Context) -> int:
    slugs = _slugs(options, context)
    trees = open_trees([context.cwd / path for path in options.paths])
    rows, assignments = batch_plan.assigned(trees, _wish(slugs, options, context), context)
    if options.dry_run:
        batch_plan.show(assignments, rows, len(rows), context.say)
        return MET
    batch_plan.show(assignments, rows, batch_plan.SHOWN_ROWS, context.tell)
    snapshots, editions = _snapshots(slugs, options, context)
    reached, note = _reach(options)
    if note:
        context.tell(note)
    reader = run.Reader(trees, {slug: edition.key for slug, edition in editions.items()}, reached)
    with Database(_database_path(options, context), create=True) as database:
        plan = run.plan(rows, reader, database)
        run.begin(plan, editions, database)
        context.tell(
            f"{len(plan.tasks)} to grade; {plan.known} graded before,"
            f" {plan.identical} identical to another"
        )
        try:
            executor = partial(_executor, options, snapshots, reached)
            trouble = _grade(plan, reader, database, executor, options, context)
        except KeyboardInterrupt:
            context.tell("The results so far are saved; run the same command to continue.")
            raise
        return batch_results.publish(database, slugs, trouble, outputs, context)


def _grade(
    plan: run.Plan,
    reader: run.Reader,
    database: Database,
    executor_of: Callable[[int], Executor],
    options: BatchOptions,
    context: Context,
) -> run.Trouble:
    """Grade the tasks of the plan and show the progress; without tasks, start no worker."""
    total = len(plan.tasks)
    if not total:
        return run.Trouble()
    jobs = min(total, options.jobs or _cores())
    with ExitStack() as stack:
        executor = stack.enter_context(executor_of(jobs))
        display = stack.enter_context(_display(total, context))
        return run.grade(plan, reader, executor, database, display)


def _reach(options: BatchOptions) -> tuple[Reached, str]:
    """Choose the run's isolation, once for all workers; return it and a line for the user."""
    if options.dask:
        from grader.batch import dask

        return dask.reach(options.dask, options.running)
    return runners.reach(options.running.runner, options.running.require_isolation)


def _executor(
    options: BatchOptions, snapshots: Sequence[Snapshot], reached: Reached, jobs: int
) -> Executor:
    if options.dask:
        from grader.batch.dask import DaskCluster

        return DaskCluster(options.dask, snapshots, reached)
    from grader.batch.pool import Pool

    return Pool(jobs, snapshots, reached)


def _display(total: int, context: Context) -> Display:
    from rich.console import Console

    console = Console(file=context.stderr, highlight=False, _environ=context.environment)
    if console.is_terminal and not console.is_dumb_terminal:
        return Bar(console, total)
    return Lines(context.tell, total)


def _slugs(options: BatchOptions, context: Context) -> tuple[str, ...]:
    course = context.course
    slugs = [course.require(options.problem)] if options.problem else course.slugs
    if not slugs:
        raise UsageError(f"no exercise in {course.root / 'problems'}")
    return tuple(slugs)


def _wish(slugs: tuple[str, ...], options: BatchOptions, context: Context) -> Wish:
    return Wish(
        problems=slugs,
        slugs=tuple(context.course.slugs),
        layout=options.layout or "",
        pattern=options.pattern or "",
        skip_ambiguous=options.skip_ambiguous,
    )


def _snapshots(
    slugs: Iterable[str], options: BatchOptions, context: Context
) -> tuple[list[Snapshot], dict[str, Edition]]:
    """Return each exercise as a snapshot for the workers and as an edition for the database."""
    grading = options.grading.at(context.cwd)
    snapshots, editions = [], {}
    for slug in slugs:
        snapshot = take(context.course, slug, grading)
        problem = context.course.load(slug, grading.extra)
        snapshots.append(snapshot)
        editions[slug] = Edition(
            snapshot.key, snapshot.problem_hash, snapshot.cases_hash, grader_version(), problem
        )
    return snapshots, editions


def _database_path(options: BatchOptions, context: Context) -> Path:
    if options.database:
        return context.cwd / options.database
    return context.course.root / ".grader" / "batch.db"


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
