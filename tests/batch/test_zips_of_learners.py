"""A ZIP that a learner handed in is one file: its contents change nobody else's row."""

from __future__ import annotations

import io
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.batch import gradescope
from grader.batch.assign import Assignment, assign
from grader.batch.handed_in import Wish
from grader.batch.sources import open_trees
from grader.errors import UsageError

SLUGS = ("projection", "batched_projection")
EVE = ("eve", "Eve", "Eve_3", "eve_12")
_TIME = "attempt_2026-10-02-18-01-07"
CLASSES: dict[str, tuple[str, dict[str, str]]] = {
    "files": ("eve.zip", {"ada.py": "", "bob_projection.py": ""}),
    "zips": ("eve.zip", {"ada.zip": "work.py", "bob.zip": "projection.py"}),
    "folders": ("eve/work.zip", {"ada/a.py": "", "bob/work.zip": "src/b.py"}),
    "folders and a zip": ("eve.zip", {"ada/a.py": "", "bob/src/b.py": ""}),
    "an exercise": ("projection/eve.zip", {"projection/ada.py": "", "projection/bob.py": ""}),
    "an exercise with zips": ("projection/eve.zip", {"projection/ada.zip": "a.py"}),
    "two exercises": (
        "projection/eve.zip",
        {"projection/ada.py": "", "batched_projection/ada.zip": "a.py"},
    ),
    "canvas": ("eve_12_22_work.zip", {"ada_10_20_projection.py": "", "bob_11_21_w.zip": "b.py"}),
    "moodle": (
        "Eve_3_assignsubmission_file/work.zip",
        {"Ada_1_assignsubmission_file/projection.py": ""},
    ),
    "blackboard": (f"hw_eve_{_TIME}_work.zip", {f"hw_ada_{_TIME}_projection.py": ""}),
    "github": ("hw-submissions/hw-eve/work.zip", {"hw-submissions/hw-ada/projection.py": ""}),
    "nbgrader": ("submitted/eve/hw/work.zip", {"submitted/ada/hw/projection.py": ""}),
    "gradescope": (
        "submission_3/work.zip",
        {
            "submission_1/projection.py": "",
            "submission_metadata.yml": "submission_1:\n  :submitters:\n  - :name: Ada\n"
            "submission_3:\n  :submitters:\n  - :name: Eve\n",
        },
    ),
}
"""path of Eve's ZIP; path of each other file with its text, or with the only member of a ZIP"""


def _zip(*names: str, text: str = "E = 1\n") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as out:
        for name in names:
            out.writestr(name, text)
    return buffer.getvalue()


def _read(
    files: dict[str, str], zips: dict[str, bytes], *, packed: bool = False, **wish: Any
) -> Assignment:
    """Write a class with the learners' files and ZIPs, and assign it."""
    contents = {
        path: _zip(text) if path.endswith(".zip") else text.encode() for path, text in files.items()
    } | zips
    with tempfile.TemporaryDirectory() as place:
        root = Path(place, "class")
        for path, data in contents.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(data)
        if packed:
            with zipfile.ZipFile(Path(place, "class.zip"), "w") as out:
                for path in contents:
                    out.write(root / path, path)
        (tree,) = open_trees([Path(place, "class.zip") if packed else root])
        people = gradescope.people_of(tree)
        wanted = Wish(wish.pop("problems", SLUGS[:1]), SLUGS, **wish)
        return assign(tree.name, tree.entries, wanted, people)


_PARTS = st.sampled_from(
    [
        *("ada", "bob", "Ada", "ada.py", "projection", "projection.py", "batched_projection.py"),
        *("a.py", "b.ipynb", "essay.pdf", "x.zip", "ada.zip", "..", ".git", "__MACOSX", "-", "é"),
        *("ada_10_20_projection.py", "Ada_1_assignsubmission_file", f"hw_ada_{_TIME}_b.py"),
        *("submission_1", "submission_metadata.yml", "assignment_7_export", "submitted", "hw-ada"),
    ]
)
_NAMES = st.lists(_PARTS, min_size=1, max_size=3).map("/".join)
_ZIPS = st.sets(_NAMES, max_size=6).map(lambda names: _zip(*sorted(names), text=_FORGED))
_FORGED = "submission_1:\n  :submitters:\n  - :name: Eve\n"
_CONTENTS = st.one_of(
    st.binary(max_size=40),
    _ZIPS,
    st.tuples(_ZIPS, st.integers(0, 200)).map(lambda item: item[0][: -item[1] - 1]),
)


@pytest.mark.parametrize("name", CLASSES)
@settings(deadline=None, max_examples=40)
@given(content=_CONTENTS, packed=st.booleans(), problems=st.sampled_from([SLUGS[:1], SLUGS]))
def test_the_contents_of_a_learners_zip_change_no_other_learners_row(
    name: str, content: bytes, packed: bool, problems: tuple[str, ...]
) -> None:
    eves, others = CLASSES[name]
    wish: dict[str, Any] = {"packed": packed, "problems": problems, "skip_ambiguous": True}
    expected = _read(others, {eves: _zip("projection.py")}, **wish)
    found = _read(others, {eves: content}, **wish)
    assert found.layout == expected.layout
    assert {row.learner for row in found.rows} == {row.learner for row in expected.rows}
    theirs = [row for row in found.rows if row.learner.key not in EVE]
    assert theirs == [row for row in expected.rows if row.learner.key not in EVE]
    own = [row for row in found.rows if row.learner.key in EVE]
    assert len(own) == len(problems)
    assert all(row.note or row.path.startswith(f"{eves}/") for row in own)


@pytest.mark.parametrize("problems", [SLUGS[:1], SLUGS])
@pytest.mark.parametrize("name", CLASSES)
def test_a_zip_that_cannot_be_read_is_a_row_with_the_reason(
    name: str, problems: tuple[str, ...]
) -> None:
    eves, others = CLASSES[name]
    rows = _read(others, {eves: b"PK"}, problems=problems, skip_ambiguous=True).rows
    (note, *rest) = [row.note for row in rows if row.learner.key in EVE]
    assert note.startswith(f"{eves}: this ZIP is refused: not a readable ZIP file")
    assert len(rest) == len(problems) - 1


def test_a_class_of_zips_without_a_submission_has_a_row_for_each() -> None:
    rows = _read({"ada.zip": "essay.pdf", "bob.zip": "essay.pdf"}, {}).rows
    assert [(row.learner.key, row.note) for row in rows] == [
        ("ada", "nothing was handed in"),
        ("bob", "nothing was handed in"),
    ]


def test_the_main_file_in_a_zip_of_an_exercises_folder_is_found_beside_its_modules() -> None:
    zips = {"projection/eve.zip": _zip("src/projection.py", "src/helper.py")}
    (_, row) = _read({"projection/ada.py": ""}, zips).rows
    assert row.path == "projection/eve.zip/src/projection.py"
    assert row.siblings == (("helper.py", "projection/eve.zip/src/helper.py"),)


def test_two_files_in_a_zip_of_an_exercises_folder_are_refused_naming_both() -> None:
    with pytest.raises(UsageError, match=r"eve: 2 files may solve projection: .*a\.py, .*b\.py"):
        _read({"projection/ada.py": ""}, {"projection/eve.zip": _zip("a.py", "b.py")})


def test_the_exercise_in_the_name_of_a_zip_is_that_of_its_files() -> None:
    zips = {"ada_projection.zip": _zip("a.py"), "ada-batched_projection.ZIP": _zip("b.py")}
    rows = _read({}, zips, problems=SLUGS).rows
    assert {(row.learner.key, row.problem): row.path for row in rows} == {
        ("ada", "projection"): "ada_projection.zip/a.py",
        ("ada", "batched_projection"): "ada-batched_projection.ZIP/b.py",
    }


@pytest.mark.parametrize(
    "files",
    [
        {"projection/ada/a.py": "", "projection/bob/b.py": ""},
        {"projection/ada.py": "", "bob/projection.py": ""},
        {"projection/ada.py": "", "eve.zip": "projection.py"},
        {"ada/a.py": "", "projection.zip": "a.py"},
    ],
)
def test_a_folder_of_an_exercise_is_never_a_learner(files: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        _read(files, {})
    assert "is named for an exercise and cannot be a learner" in str(caught.value)
    assert "--layout" in str(caught.value)


def test_a_user_can_still_say_that_folders_are_learners() -> None:
    (row,) = _read({"projection/ada.py": ""}, {}, layout="folders").rows
    assert row.learner.key == "projection"


def test_a_pattern_describes_files_in_a_zip_and_takes_no_learner_from_there() -> None:
    zips = {"ada.zip": _zip("v1/projection.py"), "eve.zip": _zip("ada/projection.py")}
    (ada, eve) = _read({}, zips, pattern="{learner}.zip/{file}").rows
    assert (ada.learner.key, ada.path) == ("ada", "ada.zip/v1/projection.py")
    assert (eve.learner.key, eve.path) == ("eve", "eve.zip/ada/projection.py")
    files = {"w/ada/projection.py": ""}
    found = _read(files, {"eve.zip": _zip("ada/projection.py")}, pattern="{any}/{learner}/{file}")
    assert [row.path for row in found.rows] == ["w/ada/projection.py"]
    assert [entry.path for entry in found.left_out] == ["eve.zip/ada/projection.py"]
