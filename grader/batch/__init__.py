"""A whole class: files to learners, to units of work, to rows of a database, to tables and files.

Data flows once through this package: `tree` lists folders and ZIPs, `assign` says what belongs to
whom (by `layouts`), `snapshot` fixes what is graded with, `pool` or `cluster` run `workshop` on
units of work, `database` keeps what came back, `summary`, `table` and `folder` give it out again.
"""

from __future__ import annotations

PLATFORMS = ("canvas", "moodle", "gradescope", "blackboard", "github", "nbgrader")
LAYOUTS = (*PLATFORMS, "folders", "files")
"""names of layouts for the command line; `layouts` knows their patterns"""
