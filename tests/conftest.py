"""Shared fixtures: small courses on disk, the command line in memory, golden files."""

from __future__ import annotations

import io
import shutil
import sysconfig
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

from grader.cli import main

hypothesis.settings.register_profile("shared", deadline=None)  # machines differ in speed
hypothesis.settings.register_profile("mutants", deadline=None, max_examples=20, derandomize=True)
hypothesis.settings.load_profile("shared")

HERE = Path(__file__).parent
REPOSITORY = HERE.parent
SMALL_COURSE = HERE / "data" / "course"
"""A course with one sound exercise: `projection`."""
SLUGS = ("multi_head_attention", "batched_multi_head_attention")
"""The shipped exercises. Tests use only these, because authors add others."""
STARTERS = HERE / "data" / "starters"
"""a copy of the shipped `solutions`; learners change the original"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites golden files; review them as a diff."""
    parser.addoption(
        "--rewrite", action="store_true", help="rewrite golden files instead of comparing"
    )


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of one command: its exit code and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]
Golden = Callable[[Path, str], None]
WriteCourse = Callable[[Mapping[str, str | bytes]], Path]


class Terminal(io.StringIO):
    """A stream in memory that claims to be a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def run_in(
    cwd: Path,
    *argv: str,
    columns: int = 100,
    terminal: bool = False,
    **environment: str,
) -> Ran:
    """Run one command of the grader in `cwd`, in this process; keywords are its environment."""
    stream = Terminal if terminal else io.StringIO
    out, err = stream(), stream()
    variables = {"COLUMNS": str(columns), "LINES": "50"} | environment
    code = main(argv, stdout=out, stderr=err, environment=variables, cwd=cwd)
    return Ran(code, out.getvalue(), err.getvalue())


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files by relative path below `root`; text is dedented. Return `root`."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            content = textwrap.dedent(content).lstrip("\n").encode()
        path.write_bytes(content)
    return root


def copy_shipped(root: Path) -> Path:
    """Copy the shipped exercises below `root`, with starters as their solutions. Return `root`."""
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(STARTERS, root / "solutions")
    for slug in SLUGS:
        for folder in ("problems", "cases"):
            shutil.copytree(REPOSITORY / folder / slug, root / folder / slug, ignore=ignore)
    return root


@pytest.fixture
def small_course(tmp_path: Path) -> Path:
    """A fresh copy of the small sound course."""
    root = tmp_path / "course"
    shutil.copytree(SMALL_COURSE, root, ignore=shutil.ignore_patterns("__pycache__"))
    return root


@pytest.fixture
def visible() -> Iterator[Path]:
    """A folder that a confined submission can see: it lies among the installed packages."""
    packages = sysconfig.get_path("purelib")
    with tempfile.TemporaryDirectory(prefix="grader_test_", dir=packages) as place:
        Path(place).chmod(0o755)
        yield Path(place)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a text with a golden file, or write it with `--rewrite`."""
    rewrite = request.config.getoption("--rewrite")

    def compare(path: Path, text: str) -> None:
        if rewrite:
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        assert path.is_file(), f"{path} is missing; write it with: pytest --rewrite"
        assert text == path.read_text("utf-8")

    return compare
