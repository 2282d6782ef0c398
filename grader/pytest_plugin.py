"""`pytest cases/ --submission FILE`: every case of a course as a test of pytest's.

Pytest loads this module in every project where the package is installed, so it imports nothing
but the standard library's smallest; the work is in `grader.pytest_items`, imported when a case
file of a course is met. Source: https://docs.pytest.org/en/stable/how-to/writing_plugins.html.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--submission`."""
    parser.getgroup("grader", "grading of NumPy exercises").addoption(
        "--submission",
        metavar="FILE",
        help="the file, or the folder of files, that the cases of a course judge"
        " (default: the course's solutions/)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a `--submission` that is not there, once and not in every test."""
    name = config.getoption("submission", None)
    if name and not (config.invocation_params.dir / name).exists():
        import pytest  # loaded already: it is who calls

        raise pytest.UsageError(f"--submission {name}: there is no such file or folder")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect `cases/<slug>/*.yaml` beside `problems/<slug>/problem.yaml`; nothing else."""
    if file_path.suffix not in (".yaml", ".yml") or file_path.parent.parent.name != "cases":
        return None
    slug, root = file_path.parent.name, file_path.parents[2]
    if not (root / "problems" / slug / "problem.yaml").is_file():
        return None
    from grader.pytest_items import CaseFileNode

    return CaseFileNode.from_parent(parent, path=file_path)
