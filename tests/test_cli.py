"""Commands as users type them: exit codes, unknown names, help, hints, streams."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY, run_in, write_files

from grader.cli import main

RIGHT = "def project(X, W, bias=None):\n    return X @ W if bias is None else X @ W + bias\n"
WRONG = "def project(X, W, bias=None):\n    return X @ W\n"
COMMANDS = ("grade", "batch", "watch", "new", "check", "audit", "doctor", "list", "show", "hint")


def spawn(
    course: Path, *argv: str, stdout: Any = subprocess.PIPE, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m grader` in a new process, in the course's folder."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COLUMNS"))}
    return subprocess.run(
        [sys.executable, "-m", "grader", *argv],
        cwd=course,
        env=variables | {"PYTHONPATH": str(REPOSITORY)} | environment,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )


# --- exit codes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "code", "says"),
    [
        (RIGHT, 0, "Every requirement is met: 3 of 3 points."),
        (WRONG, 1, "2 of 3 requirements are met: 2 of 3 points."),
        ("def project(X, W, bias=None):\n    raise NotImplementedError\n", 1, "Not started"),
        ("def project(X, W, bias=None)\n    return X\n", 1, "line 1"),
        ("", 1, "does not define project"),
    ],
)
def test_grade_exits_0_when_all_requirements_are_met_and_1_otherwise(
    source: str, code: int, says: str, small_course: Path
) -> None:
    write_files(small_course, {"solutions/projection.py": source})
    ran = run_in(small_course, "grade")
    assert (ran.code, ran.err) == (code, "")
    assert says in ran.out


def test_a_file_in_an_undeclared_encoding_is_refused(
    small_course: Path,
) -> None:
    source = f"# Grüße\n{RIGHT}".encode("latin-1")
    write_files(small_course, {"solutions/projection.py": source})
    ran = run_in(small_course, "grade")
    assert ran.code == 1
    assert "the file is not UTF-8 text\n    line 1\n" in ran.out
    write_files(small_course, {"solutions/projection.py": b"# coding: latin-1\n" + source})
    assert run_in(small_course, "grade").code == 0


def test_one_wrong_file_among_right_ones_exits_1(small_course: Path) -> None:
    write_files(small_course, {"right.py": RIGHT, "wrong.py": WRONG})
    assert run_in(small_course, "grade", "right.py").code == 0
    assert run_in(small_course, "grade", "right.py", "wrong.py").code == 1


def test_a_missed_bonus_does_not_change_the_exit_code(small_course: Path) -> None:
    path = small_course / "problems/projection/problem.yaml"
    path.write_text(path.read_text("utf-8").replace("every row.,", "every row., bonus: true,"))
    write_files(small_course, {"solutions/projection.py": WRONG})
    ran = run_in(small_course, "grade")
    assert ran.code == 0
    assert "WRONG 0/1" in ran.out


class Broken(io.StringIO):
    """A stream that raises an unexpected exception."""

    def write(self, text: str) -> int:
        """Raise."""
        raise RuntimeError("the stream is on fire")


def test_a_grader_crash_exits_3_and_does_not_blame_the_learners_code(small_course: Path) -> None:
    err = io.StringIO()
    code = main(["list"], stdout=Broken(), stderr=err, environment={}, cwd=small_course)
    assert code == 3
    assert "the stream is on fire" in err.getvalue()
    assert "a fault of the grader, not of your code" in err.getvalue()


# --- unknown names -------------------------------------------------------------------------------

UNKNOWN = [
    (
        ["grade", "projektion"],
        "no exercise and no file 'projektion'\n    help: Did you mean 'projection'?",
    ),
    (
        ["grade", "--problem", "project"],
        "no exercise 'project'\n    help: Did you mean 'projection'?",
    ),
    (["grade", "solutions/projektion.py"], "no file 'solutions/projektion.py'"),
    (["grade", "nowhere/projection.py"], "no file 'nowhere/projection.py'"),
    (["grade", "cases"], "the folder 'cases' has no solution: it does not contain projection.py"),
    (["new", "class"], "'class' cannot name an exercise: it is a Python keyword"),
    (["show", "projectoin"], "no exercise 'projectoin'\n    help: Did you mean 'projection'?"),
    (["hint", "zzz"], "no exercise 'zzz'\n    help: Known: projection."),
    (["check", "projections"], "Did you mean 'projection'?"),
    (["audit", "projections"], "Did you mean 'projection'?"),
    (["hint", "projection", "99"], "projection has hints 1 to 3; there is no hint 99"),
    (["hint", "projection", "0"], "projection has hints 1 to 3; there is no hint 0"),
    (["grade", "--cases", "nowhere"], "no .yaml file for projection in this folder"),
    (["grade", "--output", "json"], "write NAME=PATH, for example markdown=output"),
    (["grade", "--output", "jsn=report"], "unknown format 'jsn'\n    help: Did you mean 'json'?"),
    (["grade", "--output", "json=no/such/folder/report.json"], "Create the folder"),
    (["grade", "--require-isolation", "--runner", "process"], "does not confine learner code"),
    (["list", "--root", "nowhere"], "no course in"),
]


@pytest.mark.parametrize(("argv", "says"), UNKNOWN, ids=[" ".join(argv) for argv, _ in UNKNOWN])
def test_an_unknown_name_exits_2_and_suggests_the_nearest(
    argv: list[str], says: str, small_course: Path
) -> None:
    ran = run_in(small_course, *argv)
    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_a_file_that_may_solve_several_exercises_needs_problem_option(
    small_course: Path,
) -> None:
    problem = (small_course / "problems/projection/problem.yaml").read_text("utf-8")
    write_files(
        small_course,
        {"problems/other/problem.yaml": problem, "cases/other/x.yaml": "", "mine.py": RIGHT},
    )
    ran = run_in(small_course, "grade", "mine.py")
    assert ran.code == 2
    assert "Add --problem SLUG, one of: other, projection." in ran.err
    assert run_in(small_course, "grade", "mine.py", "--problem", "projection").code == 0


def test_a_python_without_the_required_packages_exits_2() -> None:
    for command in ("grade", "show", "--help"):
        ran = subprocess.run(
            [sys.executable, "-S", "-m", "grader", command],  # -S: without site-packages
            cwd=REPOSITORY,
            env={k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert ran.returncode == 2
        assert b"is missing in this Python" in ran.stderr
        assert b"Traceback" not in ran.stderr


def test_an_exercise_without_a_case_cannot_be_graded(small_course: Path) -> None:
    shutil.rmtree(small_course / "cases/projection")
    ran = run_in(small_course, "grade")
    assert ran.code == 2
    assert ran.err.startswith("cases/projection has no case, so nothing can be graded\n")


def test_grading_outside_a_course_exits_2_and_suggests_root(tmp_path: Path) -> None:
    ran = run_in(tmp_path, "grade")
    assert ran.code == 2
    assert "Go to the course's folder or pass --root DIR." in ran.err


def test_an_exercise_is_graded_by_its_slug_from_any_folder(small_course: Path) -> None:
    write_files(small_course, {"solutions/projection.py": RIGHT})
    for folder in (small_course, small_course / "problems" / "projection"):
        assert run_in(folder, "grade", "projection").code == 0


def test_a_folder_without_problem_yaml_and_an_unreadable_statement_exit_2(
    small_course: Path,
) -> None:
    write_files(small_course, {"problems/draft/statement.md": "# Draft"})
    ran = run_in(small_course, "check", "draft")
    assert (ran.code, ran.err) == (2, "problems/draft has no problem.yaml\n")
    statement = small_course / "problems/projection/statement.md"
    statement.unlink()
    statement.mkdir()
    ran = run_in(small_course, "show", "projection")
    assert ran.code == 2
    assert ran.err.startswith("problems/projection/statement.md:1:1: cannot be read")


def test_a_course_is_found_from_its_subfolders_and_by_root_option(
    small_course: Path, tmp_path: Path
) -> None:
    assert "projection" in run_in(small_course / "cases" / "projection", "list").out
    assert "projection" in run_in(tmp_path, "list", "--root", str(small_course)).out


def test_a_course_without_exercises_exits_2(tmp_path: Path) -> None:
    write_files(tmp_path, {"problems/.keep": "", "cases/.keep": ""})
    for command in ("grade", "check"):
        ran = run_in(tmp_path, command)
        assert ran.code == 2
        assert "no exercise in" in ran.err


# --- help ----------------------------------------------------------------------------------------


def test_help_lists_every_command_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"], environment={}) == 0
    out = capsys.readouterr().out
    listed = re.findall(r"^    (\w+) +\S", out, re.MULTILINE)
    assert listed == list(COMMANDS)
    assert "exit codes: 0 every requirement is met; 1 some are not" in out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--help"], environment={}) == 0
    out = capsys.readouterr().out
    assert re.search(rf"^example: grader {command}\b", out, re.MULTILINE)


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["grad"],
        ["grade", "--formt", "json"],
        ["grade", "--format", "yaml"],
        ["grade", "--runner", "docker"],
        ["grade", "--reseed", "-1"],
        ["grade", "--reseed", "many"],
        ["hint"],
        ["hint", "projection", "two"],
    ],
)
def test_unknown_commands_and_options_exit_2_and_print_the_usage(
    argv: list[str], small_course: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_in(small_course, *argv).code == 2
    err = capsys.readouterr().err
    assert err.startswith("usage: grader")


def test_the_version_option_prints_the_package_version(capsys: pytest.CaptureFixture[str]) -> None:
    from grader import __version__

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"grader {__version__}\n"


# --- browsing ------------------------------------------------------------------------------------


def test_list_prints_slug_title_and_file(small_course: Path) -> None:
    assert run_in(small_course, "list").out.splitlines() == [
        "projection",
        "  A projection with a bias: 3 requirements",
        "  solutions/projection.py",
    ]


def test_show_renders_the_statements_markdown(small_course: Path) -> None:
    out = run_in(small_course, "show", "projection").out
    assert "A projection with a bias" in out
    assert "#" not in out
    assert "It returns X @ W" in out


def test_a_statement_is_transliterated_when_the_encoding_lacks_its_characters(
    small_course: Path,
) -> None:
    path = small_course / "problems/projection/statement.md"
    path.write_text("- Divide by √d, that is 2 · 3\n", "utf-8")
    for encoding, says in (("ascii", "* Divide by sqrt d, that is 2 * 3"), ("utf-8", "√d")):
        ran = spawn(small_course, "show", "projection", PYTHONIOENCODING=encoding)
        assert says in ran.stdout.decode(encoding)


def hints(course: Path, *argv: str) -> str:
    """Return the printed hint: its heading and text."""
    ran = run_in(course, "hint", "projection", *argv)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def test_hint_prints_the_next_hint_and_starts_over_after_the_last(small_course: Path) -> None:
    heads = [hints(small_course).splitlines()[0] for _ in range(4)]
    assert heads == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3", "Hint 1 of 3"]


def test_a_hint_by_number_does_not_change_the_next_hint(small_course: Path) -> None:
    hints(small_course)
    assert "@ multiplies matrices" in hints(small_course, "2")
    assert "broadcasting" in hints(small_course, "3")
    assert hints(small_course).startswith("Hint 2 of 3")


def test_a_hint_shows_the_command_for_the_next_hint(small_course: Path) -> None:
    assert re.search(r"Next hint: .*grader hint projection\n$", hints(small_course))
    assert re.search(r"Next hint: .*grader hint projection 3\n$", hints(small_course, "2"))
    assert hints(small_course, "3").endswith("This is the last hint.\n")


@pytest.mark.parametrize(
    "memory",
    ["", "not json", "[]", '{"projection": "two"}', '{"projection": -5}', '{"projection": 99}'],
)
def test_a_damaged_hints_file_is_ignored(memory: str, small_course: Path) -> None:
    write_files(small_course, {".grader/hints.json": memory})
    assert re.match(r"Hint [123] of 3\n", hints(small_course))


def test_the_hints_file_is_replaced_atomically(small_course: Path) -> None:
    hints(small_course)
    memory = small_course / ".grader" / "hints.json"
    with memory.open() as before:
        hints(small_course)
        assert before.read() == '{"projection": 1}\n'
    assert memory.read_text() == '{"projection": 2}\n'
    assert [path.name for path in memory.parent.iterdir()] == ["hints.json"]


def test_an_unwritable_hints_file_repeats_the_first_hint(small_course: Path) -> None:
    write_files(small_course, {".grader": "a file where a folder should be"})
    assert [hints(small_course).splitlines()[0] for _ in range(2)] == ["Hint 1 of 3"] * 2


def test_hint_exits_2_for_an_exercise_without_hints(small_course: Path) -> None:
    path = small_course / "problems/projection/problem.yaml"
    text = path.read_text("utf-8")
    path.write_text(text[: text.index("hints:")] + "hints: []\n")
    ran = run_in(small_course, "hint", "projection")
    assert (ran.code, ran.err) == (2, "projection has no hints\n")


# --- grading options -----------------------------------------------------------------------------


def test_further_cases_count_and_hidden_ones_show_no_details(small_course: Path) -> None:
    cases = """
        requirement: product
        cases:
          - id: secret-case
            why: A secret reason.
            arguments: {X: [[11.0]], W: [[13.0]]}
        """
    write_files(small_course, {"more/projection/secret.yaml": cases})
    source = "def project(X, W, bias=None):\n    return X @ W * (X.size > 1)\n"
    write_files(small_course, {"solutions/projection.py": source})
    assert "2/2" in run_in(small_course, "grade").out
    shown = run_in(small_course, "grade", "--cases", "more").out
    assert "secret-case" in shown
    assert "143" in shown
    hidden = run_in(small_course, "grade", "--cases", "more", "--hidden").out
    assert "2/3" in hidden
    assert not any(word in hidden for word in ("secret", "143", "11", "13.0"))
    revealed = run_in(small_course, "grade", "--cases", "more", "--hidden", "--reveal").out
    assert "secret-case" in revealed


def test_a_right_solution_passes_with_reseed_and_the_report_says_so(small_course: Path) -> None:
    write_files(small_course, {"solutions/projection.py": RIGHT})
    ran = run_in(small_course, "grade", "--reseed", "41")
    assert ran.code == 0
    assert "--reseed 41" in ran.out


def test_memorised_answers_fail_with_reseed(small_course: Path) -> None:
    write_files(small_course, {"solutions/projection.py": RIGHT})
    source = """
        import numpy as np
        def project(X, W, bias=None):
            known = {-0.47: 1}
            if X.shape == (4, 4) and round(X[0, 0], 4) != 1.7886:
                return X * 0
            return X @ W if bias is None else X @ W + bias
        """
    write_files(small_course, {"solutions/projection.py": source})
    assert run_in(small_course, "grade").code == 0
    assert run_in(small_course, "grade", "--reseed", "1").code == 1


def test_verbose_shows_every_failing_case_instead_of_the_first(small_course: Path) -> None:
    write_files(
        small_course,
        {"solutions/projection.py": "def project(X, W, bias=None): return X @ W + 1\n"},
    )
    short, long = run_in(small_course, "grade").out, run_in(small_course, "grade", "-v").out
    assert "published:" in short
    assert "drawn:" not in short
    assert "published:" in long
    assert "drawn:" in long


def test_the_verbose_command_is_offered_only_when_more_cases_fail(small_course: Path) -> None:
    path = small_course / "solutions/projection.py"
    path.write_text("def project(X, W, bias=None): return X @ W + 1\n")
    assert "Every failing case" in run_in(small_course, "grade").out
    path.write_text(WRONG)  # fails the only case of `bias`
    assert "Every failing case" not in run_in(small_course, "grade").out


def test_the_offered_verbose_command_repeats_all_options(
    small_course: Path, tmp_path: Path
) -> None:
    file = write_files(tmp_path, {"a file.py": "def project(X, W, bias=None): return X\n"})
    more = write_files(tmp_path / "more", {"c.yaml": (
        "requirement: product\ncases:\n  - id: more\n    why: More.\n"
        "    arguments: {X: [[1.0, 2.0]], W: [[1.0], [1.0]]}\n")})  # fmt: skip
    argv = ["--problem", "projection", "--cases", str(more), "--hidden", "--reseed", "2"]
    out = run_in(small_course, "grade", str(file / "a file.py"), *argv, columns=400).out
    (command,) = re.findall(r"`\S.* grade (.+) -v`$", out, re.MULTILINE)
    assert shlex.split(command) == [str(file / "a file.py"), *argv]


def test_a_case_note_calls_a_changed_argument_by_its_name(
    small_course: Path,
) -> None:
    path = small_course / "solutions/projection.py"
    path.write_text("def project(X, W, bias=None):\n    W += 1\n    return X @ W\n")
    out = run_in(small_course, "grade").out
    assert "│ note: argument W was changed in place" in out
    assert "argument 2" not in out


def test_no_diagnosis_option_leaves_diagnoses_out(small_course: Path) -> None:
    write_files(small_course, {"solutions/projection.py": WRONG})
    assert "The bias never enters your result." in run_in(small_course, "grade").out
    assert "The bias never enters" not in run_in(small_course, "grade", "--no-diagnosis").out


@pytest.mark.parametrize("runner", ["process", "inprocess", "auto"])
def test_every_runner_gives_the_same_verdicts(runner: str, small_course: Path) -> None:
    write_files(small_course, {"solutions/projection.py": WRONG})
    ran = run_in(small_course, "grade", "--runner", runner, "--format", "json")
    (report,) = json.loads(ran.out)["reports"]
    assert [r["verdict"] for r in report["requirements"]] == ["passed", "passed", "failed"]


@pytest.mark.parametrize("name", ["further.yaml", "further.yml"])
def test_a_new_case_file_of_either_ending_is_graded(name: str, small_course: Path) -> None:
    write_files(
        small_course,
        {
            f"cases/projection/{name}": """
                requirement: bias
                cases:
                  - id: further
                    why: One more case.
                    arguments: {X: {ones: [2, 3]}, W: {eye: 3}, bias: [7.25, 2.0, 3.0]}
                """
        },
    )
    ran = run_in(small_course, "grade", "--format", "json")
    (report,) = json.loads(ran.out)["reports"]
    assert "further" in [case["id"] for r in report["requirements"] for case in r["cases"]]


USING = "from helper import project\n"


def verdicts_of(course: Path, *argv: str) -> list[str]:
    ran = run_in(course, "grade", *argv, "--format", "json")
    return [report["verdict"] for report in json.loads(ran.out)["reports"]]


def test_a_file_beside_the_submission_is_no_helper_unless_the_caller_names_it(
    small_course: Path,
) -> None:
    write_files(small_course, {"ada.py": RIGHT, "bob.py": "from ada import project\n"})
    write_files(small_course, {"eve.py": USING, "helper.py": RIGHT, "lib/helper.py": RIGHT})
    assert verdicts_of(small_course, "bob.py") == ["errored"]
    assert verdicts_of(small_course, "ada.py", "bob.py") == ["passed", "errored"]
    assert verdicts_of(small_course, "eve.py") == ["errored"]
    assert verdicts_of(small_course, "eve.py", "--with", "helper.py") == ["passed"]
    assert verdicts_of(small_course, "eve.py", "--with", "lib/helper.py") == ["passed"]


def test_a_helper_that_was_not_named_is_explained_with_the_option(small_course: Path) -> None:
    write_files(small_course, {"eve.py": USING, "helper.py": RIGHT})
    out = run_in(small_course, "grade", "eve.py").out
    assert "helper.py lies in the same folder but was not handed in with this file: " in out
    assert "pass --with helper.py" in out
    write_files(small_course, {"ada's/eve.py": USING, "ada's/helper.py": RIGHT})
    out = run_in(small_course, "grade", "ada's/eve.py").out
    assert "pass --with 'ada'\"'\"'s/helper.py'" in " ".join(out.split())
    (small_course / "helper.py").unlink()
    assert "--with" not in run_in(small_course, "grade", "eve.py").out


def test_a_folder_is_one_learners_hand_in_whose_files_may_import_each_other(
    small_course: Path,
) -> None:
    write_files(small_course, {"ada/projection.py": USING, "ada/helper.py": RIGHT})
    assert verdicts_of(small_course, "ada") == ["passed"]
    assert verdicts_of(small_course, "ada", "--problem", "projection") == ["passed"]
    assert verdicts_of(small_course, "ada/projection.py") == ["errored"]
    if sys.platform != "win32":
        (small_course / "ada/helper.py").unlink()
        (small_course / "ada/helper.py").symlink_to(small_course / "ada/projection.py")
        assert verdicts_of(small_course, "ada") == ["errored"]


def test_files_of_the_course_s_solutions_import_each_other(small_course: Path) -> None:
    write_files(small_course, {"solutions/projection.py": USING, "solutions/helper.py": RIGHT})
    assert verdicts_of(small_course) == ["passed"]
    assert verdicts_of(small_course, "projection") == ["passed"]
    assert verdicts_of(small_course, "solutions/projection.py") == ["passed"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_is_never_followed_to_a_helper(small_course: Path) -> None:
    write_files(small_course, {"secret.py": RIGHT, "eve.py": USING})
    write_files(small_course, {"solutions/projection.py": USING})
    for place in ("helper.py", "solutions/helper.py"):
        (small_course / place).symlink_to(small_course / "secret.py")
    assert verdicts_of(small_course, "eve.py", "projection") == ["errored"] * 2
    ran = run_in(small_course, "grade", "eve.py", "--with", "helper.py")
    assert (ran.code, ran.err) == (2, "--with helper.py: this is a link; name the file itself\n")


@pytest.mark.parametrize(
    ("named", "says"),
    [
        (["nothing.py"], "--with nothing.py: there is no such file"),
        (["solutions"], "--with solutions: there is no such file"),
        (["my-lib.py"], "--with my-lib.py: a helper is a .py file that can be imported by name"),
        (["a.txt"], "--with a.txt: a helper is a .py file that can be imported by name"),
        (["h.py", "ada/h.py"], "--with ada/h.py: two helpers are called h.py"),
    ],
)
def test_a_helper_that_nothing_can_import_is_refused(
    named: list[str], says: str, small_course: Path
) -> None:
    write_files(small_course, {"my-lib.py": "", "a.txt": "", "h.py": "", "ada/h.py": ""})
    options = [word for name in named for word in ("--with", name)]
    ran = run_in(small_course, "grade", *options)
    assert (ran.code, ran.out, ran.err) == (2, "", f"{says}\n")


def test_the_command_that_a_report_offers_repeats_the_helpers(small_course: Path) -> None:
    wrong = "def project(X, W, bias=None):\n    return X\n"
    write_files(small_course, {"eve.py": USING, "helper.py": wrong})
    out = run_in(small_course, "grade", "eve.py", "--with", "helper.py", columns=200).out
    assert "grade eve.py --problem projection --with helper.py -v" in out


# --- the process and its streams -----------------------------------------------------------------


def test_python_m_grader_prints_the_same_report(small_course: Path) -> None:
    write_files(small_course, {"solutions/projection.py": WRONG})
    ran = spawn(small_course, "grade", COLUMNS="100")
    assert (ran.returncode, ran.stderr) == (1, b"")
    assert "Add the bias" not in ran.stdout.decode()
    here = run_in(small_course, "grade").out
    assert ran.stdout.decode("utf-8").splitlines()[:8] == here.splitlines()[:8]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_commands_print_in_every_output_encoding(encoding: str, small_course: Path) -> None:
    source = "def project(X, W, bias=None):\n    print('žluťoučký ✓')\n    return X @ W\n"
    path = small_course / "problems/projection/problem.yaml"
    text = path.read_text("utf-8").replace("A projection", "Ein Prüfstück — A projection")
    write_files(small_course, {"solutions/projection.py": source})
    path.write_text(text, "utf-8")
    for command in (["grade"], ["list"], ["show", "projection"], ["hint", "projection"]):
        ran = spawn(small_course, *command, PYTHONIOENCODING=encoding)
        assert ran.returncode == (1 if command == ["grade"] else 0), ran.stderr
        assert b"Traceback" not in ran.stderr
        shown = ran.stdout.decode(encoding)
        if command == ["grade"]:
            assert "WRONG 0/1" in shown
            assert ("✗" in shown) == (encoding == "utf-8")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_json_is_utf_8_in_every_locale(encoding: str, small_course: Path) -> None:
    source = "def project(X, W, bias=None):\n    print('žluťoučký')\n    return X @ W\n"
    write_files(small_course, {"solutions/projection.py": source})
    ran = spawn(small_course, "grade", "--format", "json", PYTHONIOENCODING=encoding)
    (report,) = json.loads(ran.stdout.decode("utf-8"))["reports"]
    assert report["requirements"][2]["cases"][0]["output"].strip() == "žluťoučký"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "command", [["list"], ["show", "projection"], ["check"], ["grade"], ["grade", "--format=json"]]
)
def test_output_that_cannot_be_written_exits_2_without_a_traceback(
    command: list[str], small_course: Path
) -> None:
    with Path("/dev/full").open("wb") as full:
        ran = spawn(small_course, *command, stdout=full)
    assert ran.returncode == 2
    assert ran.stderr.decode() == "cannot write standard output: No space left on device\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close differently")
def test_a_closed_output_pipe_exits_1_without_a_message(small_course: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as closed:
        ran = spawn(small_course, "list", stdout=closed)
    assert (ran.returncode, ran.stderr) == (1, b"")


def test_a_report_file_that_cannot_be_written_exits_2_after_the_report(
    small_course: Path,
) -> None:
    write_files(small_course, {"solutions/projection.py": RIGHT})
    ran = run_in(small_course, "grade", "--output", f"json={small_course}")
    assert ran.code == 2
    assert "cannot write" in ran.err


def test_grade_and_check_leave_no_files_in_the_course(small_course: Path) -> None:
    write_files(small_course, {"solutions/projection.py": WRONG})

    def names() -> set[str]:
        return {
            str(path.relative_to(small_course))
            for path in small_course.rglob("*")
            if "__pycache__" not in path.parts
        }

    before = names()
    spawn(small_course, "grade")
    spawn(small_course, "check")
    assert names() == before
