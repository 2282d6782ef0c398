"""Grade the submissions of a whole class.

Data flows one way through this package: `sources` lists the files in folders and ZIPs, `assign`
matches files to learners (by `layouts`), `snapshot` records the exercise that a run grades with,
`pool` or `dask` grade tasks with `grading`, `database` stores the results, `summary` and `export`
print and write them.
"""

from __future__ import annotations

PLATFORMS = ("canvas", "moodle", "gradescope", "blackboard", "github", "nbgrader")
LAYOUTS = (*PLATFORMS, "folders", "files")
"""layout names that the command line accepts; `layouts` has their patterns"""
