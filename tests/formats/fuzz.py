"""Random reports through every format and its consumers; prints figures.

PYTHONPATH=tests python -m formats.fuzz --count 10000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from formats.checkers import CONSUMERS
from formats.random_reports import BIG, Reports
from grader import formats


def fuzz(count: int, seed: int, big: float) -> tuple[Counter[str], list[str]]:
    """Render and check `count` reports; return figures and every complaint."""
    draw = Reports(seed, big)
    figures: Counter[str] = Counter()
    complaints: list[str] = []
    while figures["reports"] < count:
        reports = draw.some()
        figures["runs"] += 1
        figures["reports"] += len(reports)
        cases = [case for report in reports for r in report.requirements for case in r.cases]
        figures["cases"] += len(cases)
        figures["without a case"] += sum(
            not any(r.cases for r in report.requirements) for report in reports
        )
        figures["outputs of 10 MB"] += sum(len(c.execution.output) >= BIG * 0.9 for c in cases)
        texts = {name: formats.render(name, reports) for name in formats.FORMATS}
        for name, consumer, check in CONSUMERS:
            figures[f"read by {consumer}"] += 1
            wrong = check(texts[name], reports)
            complaints += [f"run {figures['runs']}: {consumer}: {line}" for line in wrong]
        for name, text in texts.items():
            size = len(text.encode("utf-8", "replace"))
            figures[f"largest {name}, bytes"] = max(figures[f"largest {name}, bytes"], size)
    return figures, complaints


def main() -> int:
    """Run from the command line; 1 when a consumer would misread something."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--big", type=float, default=0.003)
    options = parser.parse_args()
    started = time.perf_counter()
    figures, complaints = fuzz(options.count, options.seed, options.big)
    for name, figure in figures.items():
        print(f"{name:32} {figure}")
    print(f"{'seconds':32} {time.perf_counter() - started:.0f}")
    print(f"{'misread':32} {len(complaints)}")
    for line in complaints[:20]:
        print(line[:300])
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
