"""Random kills and bombs change no result of a class."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from pathlib import Path

import accounts
import chaos
import pytest
from classroom import limited
from runners.thread_bomb import BOMB

if sys.platform != "linux":
    pytest.skip("processes are found through /proc", allow_module_level=True)


def test_kills_and_signals_change_no_result_and_leave_nothing(
    small_course: Path, tmp_path: Path
) -> None:
    chaos.check(tmp_path, small_course, 20, 1, chaos.Chaos(seed=5, kills=10, stops=2))


GRADED = """
    import json, sys
    from pathlib import Path
    from classroom import batch, verdicts
    course, learners, database = map(Path, sys.argv[1:])
    ran = batch(course, learners, "--database", database, "--jobs", "2", "--require-isolation")
    print(json.dumps([ran.code, ran.err, verdicts(database)]))
    """


def test_bombs_among_honest_threads_change_no_result(small_course: Path, tmp_path: Path) -> None:
    bomb = textwrap.dedent(BOMB).replace("def f(X):", "def project(X, W, bias=None):")
    for number in range(18):
        kind = "bomb" if number % 3 == 0 else "threads"
        path = tmp_path / "class" / f"learner-{number:02}-{kind}" / "projection.py"
        path.parent.mkdir(parents=True)
        path.write_text(f"{bomb if kind == 'bomb' else chaos.THREADS}# {number}\n")
    arguments = [str(limited(small_course, 30)), str(tmp_path / "class"), str(tmp_path / "c.db")]
    fenced = [*accounts.own_processes(), sys.executable, "-c", textwrap.dedent(GRADED)]
    search = os.pathsep.join([accounts.environment()["PYTHONPATH"], str(Path(__file__).parent)])
    code, err, found = json.loads(accounts.run([*fenced, *arguments], PYTHONPATH=search))
    assert code == 1, err
    assert {found[name] for name in found if name.endswith("threads")} == {"passed"}
    assert {found[name] for name in found if name.endswith("bomb")} <= {"failed", "errored"}
