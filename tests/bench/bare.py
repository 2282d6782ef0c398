"""Print the seconds of a bare fork of a warm NumPy process: compile, the calls, nothing returned.

Usage: bare.py COURSE. This is the lower bound for a warm runner.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"

import peers
from material import RIGHT, SLUG

from grader.catalog import Course
from grader.grading import build_calls

if __name__ == "__main__":
    calls = [call.arguments for call in build_calls(Course(Path(sys.argv[1])).load(SLUG))]
    peers.bare_forks(RIGHT.encode(), calls, 5)
    print(peers.bare_forks(RIGHT.encode(), calls, 40))
