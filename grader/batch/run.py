"""A run: grade what has no result yet, each different submission once, and keep every result.

At any moment the database holds what was finished; killed and started again, a run goes on there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from grader.batch.database import Database, Edition
from grader.batch.handed_in import Assigned
from grader.batch.progress import Display
from grader.batch.sources import Tree, UnreadableError
from grader.batch.task import Executor, Fault, Task
from grader.options import RunningOptions

_WORDS = re.compile(rb"\w+")

Place = tuple[str, str]
"""a learner's key and an exercise"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run has to do. `tasks` are places of one learner for each key without a result."""

    rows: tuple[Assigned, ...]
    keys: Mapping[Place, str]
    tasks: Mapping[str, Assigned]
    known: int
    """rows whose result is there already"""
    identical: int
    """rows without a result whose submission is the same as another one"""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What could not be graded, as sentences: faults of the grader, and files that changed."""

    faults: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)


class Reader:
    """Makes tasks out of files, one at a time."""

    def __init__(
        self, trees: Sequence[Tree], editions: Mapping[str, str], running: RunningOptions
    ) -> None:
        self._trees = trees
        self._exams = editions
        self._running = running

    def task(self, row: Assigned) -> Task:
        """Return the task of a row that has a file. Raises UnreadableError."""
        tree = self._trees[row.source]
        source = tree.read(row.path)
        main = row.problem + PurePosixPath(row.path).suffix.lower()
        siblings = {name.rpartition(".")[0]: path for name, path in row.siblings if name != main}
        helpers = _helpers(source, siblings, tree.read)
        return Task(self._exams[row.problem], main, source, helpers, self._running)


def _helpers(
    source: bytes, siblings: Mapping[str, str], read: Callable[[str], bytes]
) -> dict[str, bytes]:
    """Return the files of the modules that the source may import, directly or through others.

    By the words in it: more than needed only makes two submissions differ that might be the same.
    """
    needed: dict[str, bytes] = {}
    queue = [source]
    while queue:
        words = set(_WORDS.findall(queue.pop()))
        for module, path in siblings.items():
            name = f"{module}.py"
            if name not in needed and module.isidentifier() and module.encode() in words:
                needed[name] = read(path)
                queue.append(needed[name])
    return needed


def plan(rows: Sequence[Assigned], reader: Reader, database: Database) -> Plan:
    """Read every file once, and find what is to be graded."""
    keys: dict[Place, str] = {}
    readable: list[Assigned] = []
    first: dict[str, Assigned] = {}
    for row in rows:
        if row.path:
            try:
                key = reader.task(row).key
            except UnreadableError as error:
                row = replace(row, path="", note=f"{row.path}: {error}")
            else:
                keys[(row.learner.key, row.problem)] = key
                first.setdefault(key, row)
        readable.append(row)
    known = database.known(first)
    tasks = {key: row for key, row in first.items() if key not in known}
    done = sum(key in known for key in keys.values())
    return Plan(tuple(readable), keys, tasks, done, len(keys) - done - len(tasks))


def begin(plan: Plan, editions: Mapping[str, Edition], database: Database) -> int:
    """Note in the database who handed in what; return the run's number."""
    return database.begin(
        editions.values(),
        (
            (row, editions[row.problem].key, plan.keys.get((row.learner.key, row.problem)))
            for row in plan.rows
        ),
    )


def grade(
    plan: Plan, reader: Reader, executor: Executor, database: Database, display: Display
) -> Trouble:
    """Grade every task of the plan and keep every result.

    Raises GraderError when the executor cannot work at all.
    """
    trouble = Trouble()
    done = 0
    waiting = _tasks(plan, reader, trouble)
    more = True
    while more or executor.busy:
        while more and executor.has_room:
            task = next(waiting, None)
            if task is None:
                more = False
            else:
                executor.submit(task)
        for result in executor.results():
            done += 1
            if isinstance(result, Fault):
                row = plan.tasks[result.key]
                trouble.faults.append(f"{row.learner.key}, {row.problem}: {result.message}")
            else:
                database.keep(result)
        display.show(done)
    return trouble


def _tasks(plan: Plan, reader: Reader, trouble: Trouble) -> Iterator[Task]:
    """Yield the tasks one by one, so that few are in memory; a file may have changed meanwhile."""
    for key, row in plan.tasks.items():
        try:
            task = reader.task(row)
        except UnreadableError as error:
            trouble.changed.append(f"{row.learner.key}: {row.path}: {error}")
            continue
        if task.key == key:
            yield task
        else:
            trouble.changed.append(f"{row.learner.key}: {row.path} changed during the run")
