"""Measure a class of full size: `python tests/batch/full_size.py [kill] [many] [dask]`.

`make bench-batch` runs all three. Each prints its figures and replaces the figures of the
same name in docs/batch.md. Times are not checked against limits; the results are asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

import attention
import generated
import numpy as np
from classroom import (
    REPOSITORY,
    batch,
    count,
    count_now,
    family,
    outcome,
    query,
    started,
    wait_for_results,
)

PAGE = REPOSITORY / "docs" / "batch.md"
MIB = 1024 * 1024


def kill(place: Path, size: int) -> str:
    """Kill a run three times at random moments; compare with an undisturbed run."""
    learners = attention.write(place / "class", size)
    broken, whole = place / "broken.db", place / "whole.db"
    chosen = ("--problem", attention.SLUG, "--jobs", "2")
    moments = sorted(random.Random().sample(range(size // 20, size * 9 // 10), 3))
    kept = []
    for moment in moments:
        with started(REPOSITORY, learners, *chosen, "--database", broken) as run:
            wait_for_results(run, broken, moment)
        assert query(broken, "PRAGMA integrity_check") == [("ok",)]
        kept.append(count(broken))
    batch(REPOSITORY, learners, *chosen, "--database", broken)
    began = time.perf_counter()
    batch(REPOSITORY, learners, *chosen, "--database", whole)
    seconds = time.perf_counter() - began
    assert query(broken, "SELECT count(*), count(DISTINCT key) FROM results") == [(size, size)]
    runs = query(broken, "SELECT run, count(*) FROM results GROUP BY run")
    assert len(runs) == 4
    same = outcome(REPOSITORY, broken) == outcome(REPOSITORY, whole)
    assert same
    shares = ", ".join(str(number) for _, number in runs)
    return (
        f"{size} submissions of `{attention.SLUG}`, two jobs. SIGKILL with {_listed(kept)} results"
        f" in the database; the four runs graded {shares}: together {size}, each exactly once."
        " `PRAGMA integrity_check` was ok after every kill. All reports are equal to those of an"
        f" undisturbed run, timings aside. The undisturbed run took {seconds:.0f} s,"
        f" {size / seconds:.0f} submissions a second from start to end."
    )


def many(place: Path, size: int) -> str:
    """Grade very many small submissions; measure memory and rate."""
    course = place / "course"
    shutil.copytree(REPOSITORY / "tests" / "data" / "course", course)
    kinds = ("right", "no-bias", "elementwise", "wrong-shape", "nan")
    learners = generated.write(place / "class", size, kinds)
    database = place / "many.db"
    began = time.perf_counter()
    run = subprocess.Popen(
        [sys.executable, "-m", "grader", "batch", str(learners), "--root", str(course),
         "--jobs", "2", "--database", str(database), "--output", f"csv={place / 'grades.csv'}"],
        cwd=REPOSITORY, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    marks: list[tuple[float, float, int, int]] = []
    while run.poll() is None:
        pids = family(run.pid)
        cpu, pss = sum(map(_cpu, pids)), sum(map(_pss, pids))
        marks.append((time.time(), cpu, _rss(run.pid), pss))
        time.sleep(1.0)
    seconds = time.perf_counter() - began
    assert run.returncode == 1, run.stderr.read() if run.stderr else ""
    times = [
        datetime.fromisoformat(when).timestamp()
        for (when,) in query(database, "SELECT graded FROM results ORDER BY rowid")
    ]
    assert len(times) == size
    part = size // 10
    first, last = (part / (t[-1] - t[0]) for t in (times[:part], times[-part:]))
    costs = [_cost(marks, times[:part]), _cost(marks, times[-part:])]
    parent, tree = (max(column) / MIB for column in list(zip(*marks, strict=True))[2:])
    early = max(mark[3] for mark in marks if mark[0] <= times[part]) / MIB
    return (
        f"{size} small submissions, two jobs, CSV: {seconds:.0f} s, with a load of"
        f" {os.getloadavg()[1]:.0f} on the machine. The first tenth at {first:.0f} a second, the"
        f" last tenth at {last:.0f} a second (ratio {last / first:.2f}); processor time for each"
        f" submission {costs[0]:.1f} ms in the first tenth, {costs[1]:.1f} ms in the last. Peak"
        f" memory of the whole process tree {tree:.0f} MiB (proportional set size; while the first"
        f" tenth was graded {early:.0f} MiB), of the command itself {parent:.0f} MiB (resident)."
        f" The database has {database.stat().st_size / MIB:.0f} MiB."
    )


def _cost(marks: list[tuple[float, float, int, int]], times: list[float]) -> float:
    """Return the CPU time for each result of a span, in ms, summed over all processes."""
    inside = [mark for mark in marks if times[0] <= mark[0] <= times[-1]]
    (began, before, *_), (ended, after, *_) = inside[0], inside[-1]
    return 1000 * (after - before) / sum(began < when <= ended for when in times)


def dask(place: Path, size: int) -> str:
    """Grade on a scheduler and two workers on loopback; kill one in a second run."""
    from test_dask import cluster

    learners = attention.write(place / "class", size)
    chosen = ("--problem", attention.SLUG)
    rates = {}
    here, there, killed = (place / f"{name}.db" for name in ("here", "there", "killed"))
    rates["jobs"] = _rate(learners, *chosen, "--jobs", "2", "--database", here)
    with cluster(place) as dask:
        address = ("--dask", dask.address)
        rates["dask"] = _rate(learners, *chosen, *address, "--database", there)
        with started(REPOSITORY, learners, *chosen, *address, "--database", killed) as run:
            wait_for_results(run, killed, size // 3)
            dask.workers[0].send_signal(signal.SIGKILL)
            at = count_now(killed)
            run.communicate()
    assert count(killed) == size
    reports = outcome(REPOSITORY, here)
    assert outcome(REPOSITORY, there) == reports
    assert outcome(REPOSITORY, killed) == reports
    return (
        f"{size} submissions of `{attention.SLUG}`. Two local jobs: {rates['jobs']:.0f} a second"
        f" from the first result to the last; scheduler and two workers with one thread each on"
        f" loopback: {rates['dask']:.0f} a second, a ratio of"
        f" {rates['dask'] / rates['jobs']:.2f}. With one worker killed by SIGKILL after about"
        f" {at} results: all {size} graded once. The reports of the three runs are equal, timings"
        " aside."
    )


def _rate(learners: Path, *argv: str | Path) -> float:
    """Grade a class; return results per second, from the first result to the last."""
    batch(REPOSITORY, learners, *argv)
    times = query(Path(argv[-1]), "SELECT min(graded), max(graded), count(*) FROM results")[0]
    first, last = (datetime.fromisoformat(when).timestamp() for when in times[:2])
    return float(times[2]) / (last - first)


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a process and of its ended children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _pss(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    found = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return 1024 * int(found[1]) if found else 0


def _rss(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _listed(numbers: list[int]) -> str:
    return f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


def _write(name: str, text: str) -> None:
    """Replace the figures called `name` in the page."""
    pattern = rf"(?<=<!-- {name} -->\n).*?(?=<!-- end -->)"
    page = PAGE.read_text("utf-8")
    assert re.search(pattern, page, re.DOTALL)
    PAGE.write_text(re.sub(pattern, lambda _: f"{text}\n", page, flags=re.DOTALL), "utf-8")


SIZES = {"kill": 2000, "many": 20000, "dask": 600}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="kill|many|dask")
    parser.add_argument("--size", type=int, help="other than full size: only printed")
    options = parser.parse_args()
    for name in options.names or SIZES:
        with tempfile.TemporaryDirectory() as place:
            said = globals()[name](Path(place), options.size or SIZES[name])
        print(f"{name}: {json.dumps(said, ensure_ascii=False)[1:-1]}", flush=True)
        if not options.size:
            _write(name, said)
    if not options.size:
        machine = f"{os.cpu_count()} cores, {platform.machine()}, {platform.system()}"
        _write("machine", f"{machine}, Python {platform.python_version()}, NumPy {np.__version__}")
