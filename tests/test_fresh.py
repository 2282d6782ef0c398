"""The installed package in a new environment: pytest plug-in, xdist and notebooks.

Run by `make test-fresh`, since it needs the network.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

pytestmark = pytest.mark.fresh

SLUG = "multi_head_attention"
SUBMISSIONS = REPOSITORY / "tests" / "data" / "submissions"
NOTEBOOK = """
import json
import sys
import nbformat
from nbclient import NotebookClient

solution, path = sys.argv[1:]
show = f"from grader import grade\\nreport = grade(multi_head_attention, {SLUG!r})\\nreport"
facts = (
    "import json\\nprint(json.dumps([[r.requirement.id, str(r.verdict),"
    " [str(c.verdict) for c in r.cases]] for r in report.report.requirements]))"
)
sources = ["!true", open(solution).read(), show, facts, "str(report)"]
notebook = nbformat.v4.new_notebook(
    cells=[nbformat.v4.new_code_cell(source) for source in sources]
)
NotebookClient(notebook, timeout=120).execute()
nbformat.write(notebook, path)
outputs = [cell.outputs for cell in notebook.cells]
print(json.dumps({
    "shown": outputs[2][0].data,
    "facts": json.loads(outputs[3][0].text),
    "text": eval(outputs[4][0].data["text/plain"]),
}))
""".replace("{SLUG!r}", repr(SLUG))


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project without build products."""
    root = tmp_path_factory.mktemp("fresh") / "course"
    ignore = shutil.ignore_patterns(".*", "__pycache__", "build", "*.egg-info", "tests")
    shutil.copytree(REPOSITORY, root, ignore=ignore)
    return root


def environment(folder: Path, *packages: str) -> Path:
    """Return the interpreter of a new environment with these packages."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, *packages], check=True)
    return python


@pytest.fixture(scope="module")
def wheel(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel; the grader's code is removed from the course, so tests use the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir"]
    subprocess.run([*build, str(folder), str(course)], check=True)
    for rest in ("build", "grader.egg-info", "grader"):
        shutil.rmtree(course / rest, ignore_errors=True)
    (course / "pyproject.toml").unlink()
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with the package, pytest, xdist and packages that run notebooks."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    return environment(folder, str(wheel), "pytest", "pytest-xdist", "nbclient", "ipykernel")


def test_the_plug_in_works_with_xdist(course: Path, python: Path) -> None:
    for name, says in (("right-vectorised", " passed in"), ("scale-by-d-model", " failed, ")):
        submission = SUBMISSIONS / name / f"{SLUG}.py"
        ran = subprocess.run(
            [python, "-m", "pytest", f"cases/{SLUG}", "-n", "2", "-q", "--submission", submission],
            cwd=course,
            capture_output=True,
            text=True,
            check=False,
        )
        assert says in ran.stdout.splitlines()[-1], ran.stdout + ran.stderr
        assert ran.returncode == (name != "right-vectorised")


def processor_seconds() -> float:
    """Return the CPU seconds of ended child processes, which a busy machine affects less."""
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.mark.skipif(sys.platform == "win32", reason="getrusage")
def test_the_plug_in_hardly_delays_an_unrelated_projects_tests(
    wheel: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = ("pytest", "pytest-xdist", "numpy", "pyyaml", "rich")
    bare = environment(tmp_path / "bare", *others)
    python = environment(tmp_path / "with", *others, str(wheel))
    (tmp_path / "test_it.py").write_text("def test_it():\n    assert True\n")
    seconds: dict[Path, list[float]] = {bare: [], python: []}
    for turn in range(32):
        for interpreter, taken in seconds.items():
            started = processor_seconds()
            command = [str(interpreter), "-m", "pytest", "-q", "test_it.py"]
            subprocess.run(command, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
            if turn > 1:
                taken.append(processor_seconds() - started)
    without, with_ours = (statistics.median(taken) for taken in seconds.values())
    paired = statistics.median(b - a for a, b in zip(*seconds.values(), strict=True))
    with capsys.disabled():
        print(
            f"\npytest of an unrelated project: {without * 1000:.0f} ms of CPU without the package,"
            f" {with_ours * 1000:.0f} ms with it; paired difference {paired * 1000:.1f} ms"
        )
    assert paired < 0.05 * without


def test_a_notebook_shows_the_report_and_gets_the_same_verdicts_as_a_submission(
    course: Path, python: Path, tmp_path: Path
) -> None:
    path = tmp_path / f"{SLUG}.ipynb"
    solution = SUBMISSIONS / "scale-by-d-model" / f"{SLUG}.py"
    ran = subprocess.run(
        [python, "-c", NOTEBOOK, solution, path],
        cwd=course,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["shown"]["text/plain"] == told["text"]
    assert "✗ scale" in told["shown"]["text/plain"]
    assert "✗" in told["shown"]["text/html"]
    assert told["shown"]["text/html"].startswith("<pre")
    ran = subprocess.run(
        [python, "-m", "grader", "grade", path, "--format", "json"],
        cwd=course,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    [report] = json.loads(ran.stdout)["reports"]
    facts = [
        [r["id"], r["verdict"], [c["verdict"] for c in r["cases"]]] for r in report["requirements"]
    ]
    assert facts == told["facts"]
