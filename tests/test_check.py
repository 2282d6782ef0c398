"""The messages of `grader check` about broken author files, one folder for each situation.

A folder of `tests/data/broken` contains files that replace or extend those of the small sound
course, and `expected.txt`: all of standard error. To add a situation, add a folder. Golden
files are rewritten by one command, and reviewed as a diff:

    python -m pytest tests/test_check.py --rewrite
"""

from __future__ import annotations

import re
import shutil
import tracemalloc
from pathlib import Path

import pytest
from conftest import HERE, SMALL_COURSE, Golden, run_in, write_files
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.catalog import Course
from grader.errors import AuthorError

BROKEN = HERE / "data" / "broken"
SITUATIONS = sorted(folder for folder in BROKEN.iterdir() if folder.is_dir())
HEAD = re.compile(r"[\w./-]+:[1-9]\d*:[1-9]\d*: \S")
"""file:line:column: message"""


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda folder: folder.name)
def test_an_authors_mistake_is_reported_with_its_place_without_a_traceback(
    situation: Path, small_course: Path, golden: Golden
) -> None:
    ignore = shutil.ignore_patterns("expected.txt")
    shutil.copytree(situation, small_course, dirs_exist_ok=True, ignore=ignore)
    ran = run_in(small_course, "check")
    golden(situation / "expected.txt", re.sub(r"Python 3\.\d+", "Python 3.x", ran.err))
    assert ran.code == 2
    assert "Traceback" not in ran.err
    lines = ran.err.splitlines()
    heads = [number for number, line in enumerate(lines) if not line.startswith(" ")]
    assert heads[0] == 0
    for start, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        assert HEAD.match(lines[start])
        assert end - start <= 4  # the message, the author's line, a caret, the advice


def test_there_are_at_least_65_situations_with_different_messages() -> None:
    assert len(SITUATIONS) >= 65
    texts = [(folder / "expected.txt").read_text("utf-8") for folder in SITUATIONS]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("situation", ["input-too-large", "inputs-of-a-case-too-large"])
def test_inputs_that_are_too_large_are_refused_before_memory_is_allocated(
    small_course: Path, situation: str
) -> None:
    shutil.copytree(BROKEN / situation / "cases", small_course / "cases", dirs_exist_ok=True)
    tracemalloc.start()
    with pytest.raises(AuthorError, match=r"too many for a case|take 144 MB"):
        Course(small_course).load("projection")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * 2**20


def test_check_prints_one_line_for_each_sound_exercise(small_course: Path) -> None:
    ran = run_in(small_course, "check")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "projection: 3 requirements, 4 cases, 4 published numbers agree, the starter fails\n"
    )


@pytest.mark.parametrize("command", [["grade"], ["list"], ["hint", "projection"], ["audit"]])
def test_every_command_reports_an_authors_mistake_and_exits_2(
    command: list[str], small_course: Path
) -> None:
    write_files(small_course, {"problems/projection/problem.yaml": "titel: Wrong\n"})
    ran = run_in(small_course, *command)
    assert ran.code == 2
    assert ran.err.startswith("problems/projection/problem.yaml:1:1: unknown key 'titel'")


def test_check_with_a_slug_ignores_other_exercises(small_course: Path) -> None:
    write_files(small_course, {"problems/other/problem.yaml": "titel: Wrong\n"})
    assert run_in(small_course, "check", "projection").code == 0
    assert run_in(small_course, "check", "other").code == 2
    assert run_in(small_course, "check").code == 2


CASE = """
    requirement: product
    cases:
      - id: small
        why: no
        arguments: {X: [[%s]], W: [[2.0]]}
        tolerance: {rtol: 1e-5, atol: 1E-8}
    """


def read_case(course: Path, text: str | bytes) -> object:
    """Return the recipe of X in a case file that is added to the course."""
    write_files(course, {"cases/projection/added.yaml": text})
    problem = Course(course).load("projection")
    (case,) = [case for case in problem.cases if case.id == "small"]
    return case.arguments["X"][0][0]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("1e-5", 1e-5),
        ("1E5", 1e5),
        ("1.", 1.0),
        (".5", 0.5),
        ("-0.0", -0.0),
        ("+3", 3),
        ("0o17", 15),
        ("0x1F", 31),
        ("017", 17),
        ("true", True),
        ("False", False),
        ("9007199254740993", 2**53 + 1),
    ],
)
def test_numbers_are_read_by_the_rules_of_yaml_1_2(
    written: str, meant: object, small_course: Path
) -> None:
    value = read_case(small_course, CASE % written)
    assert (value, type(value)) == (meant, type(meant))


@pytest.mark.parametrize("written", ["yes", "no", "on", "1_000", "12:30", "2024-01-01", "'1.0'"])
def test_text_by_the_rules_of_yaml_1_2_is_refused_as_a_number(
    written: str, small_course: Path
) -> None:
    with pytest.raises(AuthorError, match="numbers or booleans, not the text"):
        read_case(small_course, CASE % written)


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(small_course: Path) -> None:
    text = "\ufeff" + CASE.lstrip("\n").replace("\n    ", "\n").lstrip() % "3.0"
    assert read_case(small_course, text.replace("\n", "\r\n").encode()) == 3.0


def test_tolerance_and_boolean_like_text_are_read_as_written(small_course: Path) -> None:
    read_case(small_course, CASE % "3.0")
    (case,) = [c for c in Course(small_course).load("projection").cases if c.id == "small"]
    assert case.why == "no"
    assert case.tolerance is not None
    assert (case.tolerance.rtol, case.tolerance.atol) == (1e-5, 1e-8)


def test_a_file_of_more_than_4_mib_is_refused_with_advice(small_course: Path) -> None:
    write_files(small_course, {"cases/projection/large.yaml": b"# " + b"x" * 2**22})
    ran = run_in(small_course, "check")
    assert ran.code == 2
    assert "cases/projection/large.yaml:1:1: larger than 4 MiB" in ran.err
    assert "recipes" in ran.err


FILES = {
    name: (SMALL_COURSE / name).read_text("utf-8")
    for name in ("problems/projection/problem.yaml", "cases/projection/product.yaml")
}
PIECES = st.sampled_from(list("{}[]:,-&*!|>%@`'\"#?0.~ \n\t\x00é")) | st.sampled_from(
    ["- ", ": ", "<<: ", "!!python/name:os ", "&a ", "*a", "null", "1e999", "\n  ", "{eye: 3}"]
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, str]:
    """Draw one of the course's YAML files with a few passages removed, repeated or overwritten."""
    name = draw(st.sampled_from(sorted(FILES)))
    text = FILES[name]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 2, 5, 20, 80])))
        new = draw(PIECES | st.just("") | st.just(text[start:end] * 2))
        text = text[:start] + new + text[end:]
    return name, text


@settings(max_examples=300)
@given(damage=damaged())
def test_a_damaged_file_loads_or_is_reported_with_its_place(
    damage: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    root = tmp_path_factory.getbasetemp() / "damaged"
    if not root.exists():
        shutil.copytree(SMALL_COURSE, root)
    write_files(
        root, {name: text.encode() for name, text in {**FILES, damage[0]: damage[1]}.items()}
    )
    try:
        Course(root).load("projection")
    except AuthorError as error:
        for complaint in error.complaints:
            assert HEAD.match(str(complaint))
