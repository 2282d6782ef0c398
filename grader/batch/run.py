"""A run: grade each distinct submission that has no result yet, and store the results.

Each result is stored as soon as it is ready, so a run that was killed continues where it stopped.
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
from grader.runners import Reached
from grader.submission import MOST_BYTES

_WORDS = re.compile(rb"\w+")
_MOST_HELPERS = 100
_MOST_HELPER_BYTES = 4 * MOST_BYTES

Place = tuple[str, str]
"""a learner's key and an exercise's slug"""


@dataclass(frozen=True, slots=True)
class Plan:
    """The work of a run. `tasks` has one learner's row for each key without a result."""

    rows: tuple[Assigned, ...]
    keys: Mapping[Place, str]
    tasks: Mapping[str, Assigned]
    known: int
    """number of rows whose result is in the database"""
    identical: int
    """number of rows without a result whose submission equals that of a row in `tasks`"""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Messages about submissions that were not graded: grader faults, and changed files."""

    faults: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)


class Reader:
    """Reads the files of rows and makes tasks of them."""

    def __init__(
        self, trees: Sequence[Tree], editions: Mapping[str, str], reached: Reached
    ) -> None:
        self._trees = trees
        self._editions = editions
        self._reached = reached

    def task(self, row: Assigned) -> Task:
        """Return the task of a row that has a path. Raises UnreadableError."""
        tree = self._trees[row.source]
        source = tree.read(row.path)
        main = row.problem + PurePosixPath(row.path).suffix.lower()
        siblings = {name.rpartition(".")[0]: path for name, path in row.siblings if name != main}
        helpers = _helpers(source, siblings, tree.read)
        return Task(self._editions[row.problem], main, source, self._reached, helpers)


def _helpers(
    source: bytes, siblings: Mapping[str, str], read: Callable[[str], bytes]
) -> dict[str, bytes]:
    """Return the files of the modules that the source may import, directly or indirectly.

    A module is included when its name occurs as a word in the source. A superfluous file only
    means that two equivalent submissions are graded separately. At most `_MOST_HELPERS` files and
    `_MOST_HELPER_BYTES` are returned.
    """
    needed: dict[str, bytes] = {}
    left = _MOST_HELPER_BYTES
    queue = [source]
    while queue:
        words = set(_WORDS.findall(queue.pop()))
        for module, path in siblings.items():
            name = f"{module}.py"
            if name in needed or not module.isidentifier() or module.encode() not in words:
                continue
            if len(needed) == _MOST_HELPERS or left <= 0:
                return needed
            needed[name] = read(path)
            left -= len(needed[name])
            queue.append(needed[name])
    return needed


def plan(rows: Sequence[Assigned], reader: Reader, database: Database) -> Plan:
    """Read every file once and find the submissions without a result."""
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
    """Store the rows of the plan in the database; return the run's number."""
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
    """Grade every task of the plan and store every result.

    Raises GraderError when the executor cannot grade any task.
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
    """Yield tasks one by one, to keep few in memory; report files that changed since planning."""
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
