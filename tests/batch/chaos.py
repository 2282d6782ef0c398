"""Grade a class while its processes are killed at random, until it is graded.

`make chaos` runs it on 200 submissions, `test_chaos.py` on a few.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import generated
from classroom import REPOSITORY, batch, family, limited, outcome, query

THREADS = (
    "from concurrent.futures import ThreadPoolExecutor\n\n"
    "def project(X, W, bias=None):\n"
    "    with ThreadPoolExecutor(4) as pool:\n"
    "        output = sum(pool.map(lambda i: X @ W, range(8))) / 8\n"
    "    return output if bias is None else output + bias\n"
)
ABORTS = "import os\n\ndef project(X, W, bias=None):\n    os.abort()\n"
SLOW = f"import time\ntime.sleep(0.3)\n{generated.RIGHT}"
KINDS = generated.KINDS | {"threads": THREADS, "aborts": ABORTS, "slow": SLOW}
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
WORKER = "spawn_main"


def write_class(folder: Path, count: int, hangs: int) -> Path:
    """Write submissions of all kinds; `hangs` of them never end."""
    for number in range(count):
        kind = "hangs" if number < hangs else list(KINDS)[number % len(KINDS)]
        source = generated.HANGS if kind == "hangs" else KINDS[kind]
        path = folder / f"learner-{number:05}-{kind}" / "projection.py"
        path.parent.mkdir(parents=True)
        path.write_text(f"{source}# {number}\n")
    return folder


def processes(root: int) -> dict[int, str]:
    """Return the command's processes with their command lines; a zombie has none."""
    found = {}
    for pid in family(root):
        with suppress(OSError):
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            if line:
                found[pid] = line
    return found


def parent_of(pid: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def victims(found: dict[int, str]) -> dict[str, list[int]]:
    """Return the workers, the warm processes and their children."""
    # A warm process erases its arguments; its children have its command line.
    zygotes = [pid for pid, line in found.items() if len(line.split()) == 1]
    children = [pid for pid in zygotes if parent_of(pid) in zygotes]
    return {
        "worker": [pid for pid, line in found.items() if WORKER in line],
        "warm": [pid for pid in zygotes if pid not in children],
        "child": children,
    }


class Chaos:
    """Kills processes of runs: at most `kills` in all, and at most `stops` whole runs."""

    def __init__(self, seed: int, kills: int, stops: int) -> None:
        self.draw = random.Random(seed)
        self.kills, self.stops = kills, stops
        self.seen: dict[int, str] = {}
        self.done: list[str] = []
        """what was hit, in order"""

    def run(self, command: list[str], environment: dict[str, str]) -> tuple[int, str]:
        """Run a command once, hit its processes; return its exit code and what it said."""
        with subprocess.Popen(
            command,
            cwd=REPOSITORY,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            while process.poll() is None:
                found = processes(process.pid)
                self.seen |= {pid: line for pid, line in found.items() if pid != process.pid}
                self.hit(process, victims(found))
                time.sleep(self.draw.uniform(0.01, 0.15))
            assert process.stderr
            return process.returncode, process.stderr.read()

    def hit(self, process: subprocess.Popen[str], of: dict[str, list[int]]) -> None:
        """Kill one process, or stop or freeze the run."""
        what = self.draw.choice(["child", "child", "child", "warm", "worker", "run", "freeze"])
        if what == "run" and self.stops and self.draw.random() < 0.3:
            self.stops -= 1
            number = self.draw.choice(SIGNALS)
            self.done.append(number.name)
            process.send_signal(number)
            process.wait(120)
        elif what == "freeze":
            process.send_signal(signal.SIGSTOP)
            time.sleep(self.draw.uniform(0.0, 0.1))
            process.send_signal(signal.SIGCONT)
        elif of.get(what) and self.kills:
            self.kills -= 1
            self.done.append(what)
            with suppress(ProcessLookupError):
                os.kill(self.draw.choice(of[what]), signal.SIGKILL)

    def left(self) -> list[str]:
        """Return the command lines of processes that still run."""
        return [line for pid, line in self.seen.items() if processes(pid).get(pid) == line]


def judged(course: Path, database: Path) -> list[Any]:
    """Return of each report what must not depend on the course of the run."""
    return [
        [
            report["submission"],
            report["verdict"],
            report["score"],
            [[r["id"], r["verdict"]] for r in report["requirements"]],
        ]
        for report in outcome(course, database)
    ]


def check(place: Path, course: Path, count: int, hangs: int, chaos: Chaos) -> None:
    """Grade a class in peace and in chaos; the results must be the same, and nothing be left."""
    limited(course, 5)
    learners = write_class(place / "class", count, hangs)
    quiet, broken, scratch = place / "quiet.db", place / "broken.db", place / "scratch"
    scratch.mkdir()
    assert batch(course, learners, "--database", quiet, "--jobs", "2").code == 1
    argv = ["batch", str(learners), "--root", str(course), "--database", str(broken)]
    command = [sys.executable, "-m", "grader", *argv, "--jobs", "2"]
    environment = os.environ | {"TMPDIR": str(scratch)}
    runs, code = 0, -1
    while code != 1:  # some learners did not pass: the class is graded
        code, said = chaos.run(command, environment)
        runs += 1
        assert "Traceback" not in said, said
        assert code in (1, 3, -signal.SIGKILL, *(128 + number for number in SIGNALS)), said
        assert runs < 20 + count, (chaos.done, said)
    assert query(broken, "SELECT count(*), count(DISTINCT key) FROM results") == [(count, count)]
    assert judged(course, broken) == judged(course, quiet)
    ends = time.monotonic() + 30
    while (chaos.left() or any(scratch.iterdir())) and time.monotonic() < ends:
        time.sleep(0.05)
    assert chaos.left() == []
    left = [str(path.relative_to(scratch)) for path in scratch.rglob("*")]
    assert left == [], (left, chaos.done)
    assert [path.name for path in place.glob("broken.db?*")] == []
    hit = ", ".join(chaos.done)
    sys.stdout.write(f"{count} submissions, {runs} runs, {len(chaos.done)} hits: {hit}\n")


def main() -> None:
    """Run `make chaos`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    asked = parser.parse_args()
    sys.stdout.write(f"seed {asked.seed}\n")
    with tempfile.TemporaryDirectory() as name:
        course = Path(name) / "course"
        shutil.copytree(REPOSITORY / "tests" / "data" / "course", course)
        check(Path(name), course, asked.count, 6, Chaos(asked.seed, asked.count // 2, 12))


if __name__ == "__main__":
    main()
