"""Grade the same right submission again and again, two at a time. Usage: load.py COURSE."""

from __future__ import annotations

import sys
from pathlib import Path

from material import RIGHT, SLUG
from run import grade_all

from grader.catalog import Course
from grader.pipeline import ProblemGrader

if __name__ == "__main__":
    grade_all(ProblemGrader(Course(Path(sys.argv[1])), SLUG), [RIGHT] * 200)
