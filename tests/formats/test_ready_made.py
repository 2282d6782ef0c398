"""Files that a course copies: workflows for GitHub and GitLab, Gradescope's autograder."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import REPOSITORY, copy_shipped

from formats import runner_log
from formats.checkers import classroom, gradescope, jenkins
from grader.catalog import Course
from grader.model import Report
from grader.pipeline import ProblemGrader
from grader.runners import choose

if sys.platform != "linux":
    pytest.skip("CI machines run Linux", allow_module_level=True)

SLUG = "multi_head_attention"
SUBMISSIONS = REPOSITORY / "tests" / "data" / "submissions"
RIGHT = SUBMISSIONS / "right-vectorised" / f"{SLUG}.py"
WRONG = SUBMISSIONS / "scale-by-d-model" / f"{SLUG}.py"
CANARY = "CANARY = 'not yours'\n"
PROJECT = ("grader", ".ci", "docs")
FILES = ("pyproject.toml", "README.md", "LICENSE")


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A copy of the whole project, as a checkout of the base branch."""
    root = tmp_path / "course"
    ignore = shutil.ignore_patterns("__pycache__", "build", "*.egg-info")
    copy_shipped(root)
    for folder in PROJECT:
        shutil.copytree(REPOSITORY / folder, root / folder, ignore=ignore)
    for name in FILES:
        shutil.copy(REPOSITORY / name, root / name)
    return root


def python_first(tmp_path: Path) -> dict[str, str]:
    """Return an environment in which `python` is this interpreter with its packages."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    for name in ("python", "python3"):
        (folder / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(tmp_path), "LANG": "C.UTF-8"}


def bash(script: str, cwd: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def head(course: Path, source: Path | None) -> Path:
    """Return the pull request's checkout: the shipped solutions with one changed."""
    folder = course / ".pull-request" / "solutions"
    shutil.copytree(course / "solutions", folder)
    if source:
        shutil.copy(source, folder / f"{SLUG}.py")
    return folder


# --- GitHub -----------------------------------------------------------------------------------


def workflow() -> dict[Any, Any]:
    found = yaml.safe_load((REPOSITORY / ".github/workflows/grade.yml").read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = workflow()["jobs"]["grade"]["steps"]
    return found


def test_the_workflow_has_no_secret_and_a_read_only_token() -> None:
    text = (REPOSITORY / ".github/workflows/grade.yml").read_text("utf-8")
    assert list(workflow()[True]) == ["pull_request"]  # YAML 1.1 reads `on` as true
    assert workflow()["permissions"] == {"contents": "read"}
    assert "secrets." not in text
    for step in steps():
        if str(step.get("uses", "")).startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False
        assert "${{" not in step.get("run", ""), "no text of a pull request in a script"


def test_the_workflow_uses_grader_and_cases_of_the_base_branch() -> None:
    base, from_head = (s["with"] for s in steps() if "checkout" in str(s.get("uses", "")))
    assert base["ref"] == "${{ github.event.pull_request.base.sha }}"
    assert "path" not in base
    assert from_head["ref"] == "${{ github.event.pull_request.head.sha }}"
    assert (from_head["path"], from_head["sparse-checkout"]) == (".pull-request", "solutions")


@pytest.mark.parametrize(("source", "code"), [(RIGHT, 0), (WRONG, 1)])
def test_the_workflows_step_grades_the_changed_solution(
    course: Path, tmp_path: Path, source: Path, code: int
) -> None:
    head(course, source)
    summary = tmp_path / "summary.md"
    environment = python_first(tmp_path) | {
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(summary),
        "GITHUB_WORKSPACE": str(course),
    }
    [script] = [step["run"] for step in steps() if step.get("name") == "Grade"]
    ran = bash(script, course, environment)
    assert ran.returncode == code, ran.stdout + ran.stderr
    errors = [c for c in runner_log.commands(ran.stdout) if c.name == "error"]
    assert bool(errors) == bool(code)
    assert all(c.properties["file"] == f"solutions/{SLUG}.py" for c in errors)
    assert len(json.loads((course / "grade.json").read_text())["reports"]) == 1
    assert summary.read_text().count("###") == 1


NO_SOLUTION = "No solution was changed, so nothing was graded.\n"


def test_the_workflows_step_is_red_when_no_solution_was_changed(
    course: Path, tmp_path: Path
) -> None:
    folder = head(course, None)
    (folder / "notes.py").write_text("x = 1\n")
    (course / "grade.json").write_text("an old report")
    [script] = [step["run"] for step in steps() if step.get("name") == "Grade"]
    ran = bash(script, course, python_first(tmp_path))
    assert (ran.returncode, ran.stdout) == (1, NO_SOLUTION)
    assert not (course / "grade.json").exists()


def test_take_solutions_copies_only_python_files_and_no_links(course: Path, tmp_path: Path) -> None:
    folder = head(course, RIGHT)
    (tmp_path / "secret.py").write_text(CANARY)
    (folder / "batched_multi_head_attention.py").unlink()
    (folder / "batched_multi_head_attention.py").symlink_to(tmp_path / "secret.py")
    (folder / "helper.py").write_text("x = 1\n")
    (folder / "-rf.py").write_text("x = 1\n")
    (folder / "a\nb.py").write_text("x = 1\n")
    (folder / "conftest.txt").write_text("x")
    (folder / "numpy").mkdir()
    (folder / "numpy" / "__init__.py").write_text("x = 1\n")
    os.mkfifo(folder / "pipe.py")
    ran = bash(f"bash .ci/take-solutions {folder}", course, python_first(tmp_path))
    assert ran.stdout.split() == ["batched_multi_head_attention", SLUG], ran.stderr
    taken = sorted(p.name for p in (course / "solutions").iterdir())
    assert taken == ["-rf.py", "a\nb.py", "helper.py", f"{SLUG}.py"]


def test_take_solutions_refuses_a_folder_that_is_a_link(course: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    ran = bash(f"bash .ci/take-solutions {tmp_path / 'link'}", course, python_first(tmp_path))
    assert ran.returncode == 2
    assert "is not a folder" in ran.stderr
    assert (course / "solutions" / f"{SLUG}.py").is_file(), "nothing was touched"


def test_a_notebook_is_graded_when_the_exercise_has_no_python_file(
    course: Path, tmp_path: Path
) -> None:
    folder = head(course, None)
    (folder / f"{SLUG}.ipynb").write_text("{}")
    ran = bash(f"bash .ci/take-solutions {folder}", course, python_first(tmp_path))
    assert ran.stdout.split() == [f"solutions/{SLUG}.ipynb"]


# --- GitLab -----------------------------------------------------------------------------------


class MergeRequest:
    """A learner's project beside the course's, and the job of `docs/gitlab-ci.yml`."""

    def __init__(self, course: Path, tmp_path: Path) -> None:
        self.project = tmp_path / "project"
        self.report = self.project / "grade.xml"
        shutil.copytree(course / "solutions", self.project / "solutions")
        git = "git -c user.name=x -c user.email=x@y"
        self.environment = python_first(tmp_path) | {
            "CI_BUILDS_DIR": str(tmp_path / "builds"),
            "COURSE": f"file://{course}",
            "COURSE_REF": "main",
            "CI_PROJECT_DIR": str(self.project),
        }
        made = bash(
            f"git init -q -b main . && git add -A && {git} commit -q -m course",
            course,
            self.environment,
        )
        assert made.returncode == 0, made.stderr

    def run(self) -> subprocess.CompletedProcess[str]:
        lines = gitlab_job()["script"]
        script = "\n".join(line for line in lines if "pip install" not in line)
        return bash(script, self.project, self.environment)


def gitlab_job() -> dict[str, Any]:
    found = yaml.safe_load((REPOSITORY / "docs/gitlab-ci.yml").read_text("utf-8"))["grade"]
    assert isinstance(found, dict)
    return found


@pytest.fixture
def merge_request(course: Path, tmp_path: Path) -> MergeRequest:
    return MergeRequest(course, tmp_path)


def test_the_gitlab_job_grades_a_merge_request(merge_request: MergeRequest) -> None:
    job = gitlab_job()
    assert job["rules"] == [{"if": '$CI_PIPELINE_SOURCE == "merge_request_event"'}]
    assert job["artifacts"]["reports"] == {"junit": "grade.xml"}
    shutil.copy(WRONG, merge_request.project / "solutions" / f"{SLUG}.py")
    ran = merge_request.run()
    assert ran.returncode == 1, ran.stdout + ran.stderr
    text = merge_request.report.read_text("utf-8")
    assert jenkins(text, [report_of(WRONG)]) == []
    assert f'classname="{SLUG}.scale"' in text


def test_the_gitlab_job_is_red_without_a_solution_and_takes_no_report_of_the_learner(
    merge_request: MergeRequest,
) -> None:
    merge_request.report.write_text("<testsuites/>")
    ran = merge_request.run()
    assert (ran.returncode, ran.stdout) == (1, NO_SOLUTION)
    assert not merge_request.report.exists()


@pytest.mark.parametrize("kind", ["a file", "a folder", "a link", "a link to a folder"])
def test_the_gitlab_job_replaces_a_report_in_the_merge_request(
    kind: str, merge_request: MergeRequest, tmp_path: Path
) -> None:
    target = tmp_path / "other"
    if kind == "a file":
        merge_request.report.write_text("<testsuites/>")
    elif kind == "a folder":
        (merge_request.report / "deep").mkdir(parents=True)
    elif kind == "a link":
        target.write_text(CANARY)
        merge_request.report.symlink_to(target)
    else:
        target.mkdir()
        merge_request.report.symlink_to(target)
    shutil.copy(RIGHT, merge_request.project / "solutions" / f"{SLUG}.py")
    ran = merge_request.run()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert not merge_request.report.is_symlink()
    assert jenkins(merge_request.report.read_text("utf-8"), [report_of(RIGHT)]) == []
    if target.is_file():
        assert target.read_text() == CANARY
    elif target.is_dir():
        assert list(target.iterdir()) == []


def test_the_gitlab_job_leaves_no_report_when_the_grader_cannot_grade(
    merge_request: MergeRequest,
) -> None:
    merge_request.report.write_text("<testsuites/>")
    shutil.copy(RIGHT, merge_request.project / "solutions" / f"{SLUG}.py")
    unconfined(merge_request.environment)
    ran = merge_request.run()
    assert ran.returncode == 2
    assert not merge_request.report.exists()


def unconfined(environment: dict[str, str]) -> None:
    """Change `python` of an environment: in its processes the kernel has no Landlock."""
    script = Path(environment["PATH"].split(":")[0]) / "python"
    refusing = REPOSITORY / "tests" / "refusing.py"
    script.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" "{refusing}" landlock_create_ruleset=38 --'
        f' "{sys.executable}" "$@"\n'
    )


def report_of(path: Path) -> Report:
    runner, _ = choose()
    with runner:
        return ProblemGrader(Course(REPOSITORY), SLUG).grade(path, runner)


# --- Gradescope -------------------------------------------------------------------------------


class Autograder:
    """A folder as Gradescope lays it out: source, submission, results, run_autograder."""

    def __init__(self, course: Path, folder: Path) -> None:
        self.course = course
        self.folder = folder
        self.environment = python_first(folder.parent)
        self.results = folder / "results" / "results.json"

    def build(self) -> list[str]:
        """Build the ZIP and unpack it as Gradescope does; return the names in it."""
        archive = self.folder.parent / "autograder.zip"
        ran = bash(f"bash docs/gradescope/build.sh {SLUG} {archive}", self.course, self.environment)
        assert ran.returncode == 0, ran.stderr
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(self.folder / "source")
            names = opened.namelist()
        shutil.copy(self.folder / "source" / "run_autograder", self.folder)
        for name in ("submission", "results", "venv/bin"):
            (self.folder / name).mkdir(parents=True)
        shutil.copy(self.folder.parent / "bin" / "python", self.folder / "venv" / "bin" / "python")
        return names

    def run(self, **files: Path) -> subprocess.CompletedProcess[str]:
        """Hand in files by name (`__` stands for the dot) and run the autograder."""
        shutil.rmtree(self.folder / "submission")
        (self.folder / "submission").mkdir()
        for name, source in files.items():
            shutil.copy(source, self.folder / "submission" / name.replace("__", "."))
        return bash(f"bash {self.folder / 'run_autograder'}", self.folder, self.environment)

    def tests(self) -> dict[str, str]:
        """Return the status of each requirement in the results."""
        tests = json.loads(self.results.read_text("utf-8"))["tests"]
        return {re.split("[: ]", test["name"])[0]: test["status"] for test in tests}


@pytest.fixture
def autograder(course: Path, tmp_path: Path) -> Autograder:
    made = Autograder(course, tmp_path / "autograder")
    made.folder.mkdir()
    return made


def test_the_gradescope_zip_has_the_required_files_at_its_root(autograder: Autograder) -> None:
    names = autograder.build()
    for name in ("setup.sh", "run_autograder", "slug", "pyproject.toml", "grader/cli.py"):
        assert name in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("/")]


def test_gradescope_shows_the_points_of_each_requirement(autograder: Autograder) -> None:
    autograder.build()
    for source, name in ((RIGHT, f"{SLUG}__py"), (WRONG, "my_work__py")):
        ran = autograder.run(**{name: source})
        assert ran.returncode == 0, ran.stderr
        text = autograder.results.read_text("utf-8")
        assert gradescope(text, [report_of(source)]) == []
    assert [name for name, status in autograder.tests().items() if status == "failed"][:2] != []
    assert autograder.tests()["scale"] == "failed"
    assert autograder.tests()["projections"] == "passed"


def test_gradescope_reports_a_submission_without_a_solution(autograder: Autograder) -> None:
    autograder.build()
    assert autograder.run().returncode == 0
    results = json.loads(autograder.results.read_text("utf-8"))
    assert results["score"] == 0
    assert SLUG in results["tests"][0]["output"]


def test_gradescope_does_not_follow_a_submitted_link(autograder: Autograder) -> None:
    autograder.build()
    autograder.run()
    link = autograder.folder / "submission" / f"{SLUG}.py"
    link.symlink_to(autograder.folder / "source" / "problems" / SLUG / "reference.py")
    bash(f"bash {autograder.folder / 'run_autograder'}", autograder.folder, autograder.environment)
    assert json.loads(autograder.results.read_text("utf-8"))["score"] == 0


def test_gradescope_gets_results_when_the_course_is_broken(autograder: Autograder) -> None:
    autograder.build()
    problem = autograder.folder / "source" / "problems" / SLUG / "problem.yaml"
    problem.write_text(problem.read_text("utf-8").replace("entry_point", "entrypoint"))
    ran = autograder.run(**{f"{SLUG}__py": RIGHT})
    assert ran.returncode == 0
    results = json.loads(autograder.results.read_text("utf-8"))
    assert results["score"] == 0
    assert "not your fault" in results["output"]
    assert "entrypoint" in ran.stderr, "staff see why"


def test_gradescope_shows_the_total_with_hidden_cases(autograder: Autograder) -> None:
    folder = autograder.course / "hidden_cases" / SLUG
    shutil.copytree(autograder.course / "cases" / SLUG, folder)
    for path in folder.glob("*.yaml"):
        path.write_text(re.sub(r"(- id: )", r"\1extra-", path.read_text("utf-8")), "utf-8")
    autograder.build()
    autograder.run(**{f"{SLUG}__py": RIGHT})
    text = autograder.results.read_text("utf-8")
    assert gradescope(text, [report_of(RIGHT)]) == []
    autograder.run(**{f"{SLUG}__py": WRONG})
    assert "extra-" not in autograder.results.read_text("utf-8")


def test_gradescope_runs_nothing_and_says_why_where_code_cannot_be_confined(
    autograder: Autograder,
) -> None:
    autograder.build()
    unconfined({"PATH": str(autograder.folder / "venv" / "bin")})
    ran = autograder.run(**{f"{SLUG}__py": RIGHT})
    assert ran.returncode == 0
    results = json.loads(autograder.results.read_text("utf-8"))
    assert (results["score"], results["tests"]) == (0, [])
    assert results["output"].startswith("Not graded: this machine cannot confine a submission")
    assert "Landlock" in ran.stderr, "staff see why"


# --- GitHub Classroom -------------------------------------------------------------------------


def classroom_step() -> str:
    """Return the script of the step in docs/ci.md."""
    text = (REPOSITORY / "docs/ci.md").read_text("utf-8")
    block = text.partition("## GitHub Classroom")[2].partition("```yaml\n")[2].partition("```")[0]
    first, second = yaml.safe_load(block)
    assert second["if"] == "always()"
    found: str = first["run"]
    return found


def classroom_result(course: Path, environment: dict[str, str], tmp_path: Path) -> tuple[int, str]:
    """Run the step; return its exit code and the document that the reporter gets."""
    output = tmp_path / "output"
    output.write_text("")
    ran = bash(classroom_step(), course, environment | {"GITHUB_OUTPUT": str(output)})
    name, _, value = output.read_text().strip().partition("=")
    assert name == "result", ran.stderr
    return ran.returncode, base64.b64decode(value).decode()


@pytest.mark.parametrize("source", [RIGHT, WRONG], ids=["right", "wrong"])
def test_the_classroom_step_hands_the_reporter_the_result(
    source: Path, course: Path, tmp_path: Path
) -> None:
    (course / "solutions" / "batched_multi_head_attention.py").unlink()
    shutil.rmtree(course / "problems" / "batched_multi_head_attention")
    shutil.copy(source, course / "solutions" / f"{SLUG}.py")
    (course / "classroom.json").write_text('{"forged": true}')
    code, text = classroom_result(course, python_first(tmp_path), tmp_path)
    assert code == 0
    assert classroom(text, [report_of(source)]) == []


def test_the_classroom_step_says_that_nothing_confines_the_code(
    course: Path, tmp_path: Path
) -> None:
    shutil.copy(RIGHT, course / "solutions" / f"{SLUG}.py")
    environment = python_first(tmp_path)
    unconfined(environment)
    code, text = classroom_result(course, environment, tmp_path)
    assert code == 2
    result = json.loads(text)
    assert result["status"] == "error"
    assert [(test["status"], test["score"]) for test in result["tests"]] == [("error", 0)]
    assert "nothing confines code here" in result["tests"][0]["message"]


@pytest.mark.fresh
def test_gradescopes_setup_builds_an_environment_that_grades(autograder: Autograder) -> None:
    autograder.build()
    shutil.rmtree(autograder.folder / "venv")
    environment = autograder.environment | {"PYTHON": sys.executable}
    ran = bash(f"bash {autograder.folder / 'source' / 'setup.sh'}", autograder.folder, environment)
    assert ran.returncode == 0, ran.stderr
    autograder.environment["PATH"] = os.environ["PATH"]
    autograder.run(**{f"{SLUG}__py": WRONG})
    assert autograder.tests()["scale"] == "failed"
