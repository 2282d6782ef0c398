"""A whole class: files to learners, to tasks, to rows of a database, to tables and files.

Data flows once through this package: `sources` lists folders and ZIPs, `assign` says what belongs
to whom (by `layouts`), `snapshot` fixes what is graded with, `pool` or `dask` grade tasks with
`grading`, `database` keeps the results, `summary` and `export` give them out again.
"""

from __future__ import annotations

PLATFORMS = ("canvas", "moodle", "gradescope", "blackboard", "github", "nbgrader")
LAYOUTS = (*PLATFORMS, "folders", "files")
"""names of layouts for the command line; `layouts` knows their patterns"""
