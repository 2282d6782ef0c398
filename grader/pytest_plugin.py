"""`pytest cases/ --submission FILE`: run every case of a course as a pytest test.

Pytest loads this module in every project of an environment with the package, so it imports only
small modules of the standard library. `grader.pytest_items` does the work; it is imported for the
first case file of a course. Source: https://docs.pytest.org/en/stable/how-to/writing_plugins.html.
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
        help="the file, or the folder of files, to grade on the cases of a course"
        " (default: the course's solutions/)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Raise UsageError once, not in every test, if the `--submission` does not exist."""
    name = config.getoption("submission", None)
    if name and not (config.invocation_params.dir / name).exists():
        import pytest  # loaded already, since pytest calls this function

        raise pytest.UsageError(f"--submission {name}: there is no such file or folder")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect `cases/<slug>/*.yaml` if `problems/<slug>/problem.yaml` exists, else return None."""
    if file_path.suffix not in (".yaml", ".yml") or file_path.parent.parent.name != "cases":
        return None
    slug, root = file_path.parent.name, file_path.parents[2]
    if not (root / "problems" / slug / "problem.yaml").is_file():
        return None
    from grader.pytest_items import CaseFileNode

    return CaseFileNode.from_parent(parent, path=file_path)
