"""Measure the memory of the grader, its zygote and a child."""

from __future__ import annotations

import os
import re
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from material import REPOSITORY, RIGHT, batch_command, write_class, write_course

if TYPE_CHECKING:
    from run import Figure

_MIB = 1024


def figures(root: Path) -> list[Figure]:
    """Return the peak memory of a batch with two workers, as proportional shares (PSS)."""
    from run import figure

    course = write_course(root / "memory", 12)
    write_class(root / "graded", [RIGHT] * 200)
    environment = os.environ | {"PYTHONPATH": str(REPOSITORY)}
    command = batch_command(course, root / "graded")
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak, parts = 0.0, ""
    while process.poll() is None:
        shares = {pid: _pss(pid) for pid in _tree(process.pid)}
        total = sum(shares.values())
        if total > peak:
            peak = total
            grader = shares.pop(process.pid, 0.0)
            parts = f"grader {grader:.0f}, others {', '.join(f'{s:.0f}' for s in shares.values())}"
        time.sleep(0.01)
    return [figure("`grader batch` with two jobs, all processes", peak, 50, f"MiB (PSS): {parts}")]


def _tree(pid: int) -> list[int]:
    """Return a process and its descendants that are alive."""
    found = [pid]
    for parent in found:
        try:
            tasks = Path(f"/proc/{parent}/task").iterdir()
            for task in tasks:
                found += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def _pss(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    match = re.search(r"^Pss:\s+(\d+) kB", text, re.MULTILINE)
    return int(match[1]) / _MIB if match else 0.0
